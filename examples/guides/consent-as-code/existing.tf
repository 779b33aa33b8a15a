import {
  to = analytics_consent.grace
  id = "grace@example.com"
}

resource "analytics_consent" "grace" {
  identity_id = "grace@example.com"

  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false

  agreement_time = "2025-11-05T10:00:00Z"
}
