# terraform apply -invoke=action.analytics_clear_profile.contact -var person=user-1001
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
