# Whose credentials these are, as the service tells it.
data "analytics_current_user" "me" {}

output "current_user" {
  value     = jsondecode(data.analytics_current_user.me.json)
  sensitive = true
}
