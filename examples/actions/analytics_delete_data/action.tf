# terraform apply -invoke=action.analytics_delete_data.person -var person=user-1001
variable "person" {
  type      = string
  sensitive = true
}

action "analytics_delete_data" "person" {
  config {
    identity_id = var.person

    timeouts {
      invoke = "30m"
    }
  }
}
