data "analytics_profile" "ada" {
  identity_id = "ada@example.com"
}

# The service does not document the members, so none is taken for granted.
output "plan" {
  value     = lookup(jsondecode(data.analytics_profile.ada.profile), "plan", "unknown")
  sensitive = true
}
