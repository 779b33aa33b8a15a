# Copies one member of a profile to another person, through no plan and no state.
ephemeral "analytics_profile" "ada" {
  identity_id = "ada@example.com"
}

resource "analytics_profile" "successor" {
  identity_id = "jane@example.com"

  profile_wo = jsonencode({
    department = jsondecode(ephemeral.analytics_profile.ada.profile).department
  })
  profile_wo_version = 1
}
