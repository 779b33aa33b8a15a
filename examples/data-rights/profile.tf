# Ada asked for a correction. Terraform manages only the members below and
# leaves the other members of her profile unchanged.
resource "analytics_profile" "ada" {
  identity_id = "ada@example.com"

  profile = jsonencode({
    plan       = "gold"
    newsletter = false
  })

  timeouts {
    create = "5m" # usually done within 60 seconds
  }
}
