# Ada asked for a correction. The members named here are managed; whatever else
# her profile holds is not Terraform's business and stays as it is.
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
