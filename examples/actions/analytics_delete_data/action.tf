# terraform apply -invoke=action.analytics_delete_data.person -var person=user-1001
#
# A sensitive variable hides the person on the screen. The saved plan contains it.
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
