# The user of the credentials, as the service returns it.
data "analytics_current_user" "me" {}

output "current_user" {
  value     = jsondecode(data.analytics_current_user.me.json)
  sensitive = true
}
