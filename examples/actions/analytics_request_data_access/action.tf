# terraform apply -invoke=action.analytics_request_data_access.person -var person=user-1001
variable "person" {
  type      = string
  sensitive = true
}

action "analytics_request_data_access" "person" {
  config {
    identity_id = var.person
    output_path = "${path.module}/person.json"
    overwrite   = true

    timeouts {
      invoke = "1h"
    }
  }
}
