# Manages three members of Ada's profile. All other members stay unchanged.
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

# Keeps the values out of plan and state. Needs Terraform 1.11 or newer. Increase the
# version to send the values again.
variable "phone_number" {
  type      = string
  ephemeral = true
}

resource "analytics_profile" "contact" {
  identity_id = "user-1001"

  profile_wo         = jsonencode({ phone = var.phone_number })
  profile_wo_version = 1

  on_destroy = "clear" # sets the members to null; the default retains them
}
