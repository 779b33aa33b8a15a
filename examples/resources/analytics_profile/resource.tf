# Two members of Ada's profile. Whatever else the profile holds stays as it is.
resource "analytics_profile" "ada" {
  identity_id = "ada@example.com"

  profile = jsonencode({
    plan       = "gold"
    newsletter = false
    nickname   = null # cleared at the service
  })

  timeouts {
    create = "5m"
    update = "5m"
  }
}

# The same without the values in plan or state, from Terraform 1.11 on. Raise the
# version to send them again.
variable "phone_number" {
  type      = string
  ephemeral = true
}

resource "analytics_profile" "contact" {
  identity_id = "user-1001"

  profile_wo         = jsonencode({ phone = var.phone_number })
  profile_wo_version = 1

  on_destroy = "clear" # sets the members to null; the default is to retain them
}
