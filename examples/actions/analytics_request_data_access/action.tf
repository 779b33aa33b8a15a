# The person comes from the environment, since -var would leave it in the shell's history:
# read -r TF_VAR_person && export TF_VAR_person
# terraform apply -invoke=action.analytics_request_data_access.person
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
