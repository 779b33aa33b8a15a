# Import Ada's consent, which the service already holds.
import {
  to = analytics_consent.ada
  id = "ada@example.com"
}

resource "analytics_consent" "ada" {
  identity_id = "ada@example.com"

  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false

  agreement_time = "2026-02-01T08:00:00Z"
  on_destroy     = "withdraw" # as destroy_data and delete_body did
}
