# All data of one person, for their right of access. They are in the file only:
# neither the plan nor the state holds them.
resource "analytics_data_access_request" "jane" {
  identity_id = "jane.doe@example.com"
  output_path = "${path.root}/jane.json"

  # Another date requests the data again.
  triggers = { asked_on = "2026-01-31" }
}

output "jane_sha256" {
  value = analytics_data_access_request.jane.sha256
}
