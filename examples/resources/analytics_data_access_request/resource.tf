# All data of one person, for their right of access. Only the file contains the data;
# plan and state do not.
resource "analytics_data_access_request" "jane" {
  identity_id = "jane.doe@example.com"
  output_path = "${path.root}/jane.json"

  # A new date requests the data again.
  triggers = { asked_on = "2026-01-31" }
}

output "jane_sha256" {
  value = analytics_data_access_request.jane.sha256
}
