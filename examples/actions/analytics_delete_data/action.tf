# The person comes from the environment, since -var would leave it in the shell's history:
# read -r TF_VAR_person && export TF_VAR_person
# terraform apply -invoke=action.analytics_delete_data.person
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
