data "analytics_profile" "ada" {
  identity_id = "ada@example.com"
}

# The service does not document the members of a profile, so any of them can be missing.
output "plan" {
  value     = lookup(jsondecode(data.analytics_profile.ada.profile), "plan", "unknown")
  sensitive = true
}
