resource "analytics_data_deletion" "user_1001" {
  identity_id = "user-1001"
  triggers    = { asked_on = "2026-03-09" }
}
