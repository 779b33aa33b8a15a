# The consent of a person decides whether a tool beside Terraform may track. Neither the
# plan nor the state holds what the person has chosen.
ephemeral "analytics_consent" "ada" {
  identity_id = "ada@example.com"
}

resource "terraform_data" "tracker" {
  provisioner "local-exec" {
    command = "test \"$TRACKING\" = true"

    environment = {
      TRACKING = ephemeral.analytics_consent.ada.clause_5_consent
    }
  }
}
