# The person comes from the environment, since -var would leave it in the shell's history:
# read -r TF_VAR_person && export TF_VAR_person
# terraform apply -invoke=action.analytics_clear_profile.contact
variable "person" {
  type      = string
  sensitive = true
}

# Keeps the rest of the profile and everything else about the person.
action "analytics_clear_profile" "contact" {
  config {
    identity_id = var.person
    members     = ["name", "phone"]
  }
}
