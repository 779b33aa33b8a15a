# In place of analytics_delete_data. Another date deletes again.
resource "analytics_data_deletion" "ada" {
  identity_id = "ada@example.com"
  triggers    = { asked_on = "2026-03-01" }
}

# In place of analytics_request_data_access. Another date requests the data again.
resource "analytics_data_access_request" "grace" {
  identity_id = "grace@example.com"
  output_path = "${path.module}/grace.json"
  overwrite   = true
  triggers    = { asked_on = "2026-03-01" }
}

# In place of analytics_clear_profile.
resource "analytics_profile" "alan" {
  identity_id = "alan@example.com"
  profile     = jsonencode({ name = null, phone = null })
}
