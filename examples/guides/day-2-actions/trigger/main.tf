variable "ada_consents" {
  type    = bool
  default = true
}

resource "analytics_consent" "ada" {
  identity_id = "ada@example.com"

  clause_1_consent = var.ada_consents
  clause_2_consent = var.ada_consents
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false
  agreement_time   = var.ada_consents ? "2026-02-01T08:00:00Z" : "2026-03-01T08:00:00Z"
}

# Exists while Ada does not consent. Its creation deletes her data, once the consent is
# written.
resource "terraform_data" "ada_withdrew" {
  count = var.ada_consents ? 0 : 1

  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.analytics_delete_data.ada]
    }
  }

  depends_on = [analytics_consent.ada]
}

action "analytics_delete_data" "ada" {
  config {
    identity_id         = "ada@example.com"
    wait_for_fulfilment = false
  }
}
