locals {
  # Consent on paper: the date of each signature, and the signed clauses.
  signed = {
    "user-1001"       = { on = "2026-01-15T09:30:00Z", usage = true, behaviour = false }
    "ada@example.com" = { on = "2026-02-01T08:00:00Z", usage = true, behaviour = true }
  }
}

resource "analytics_consent" "signed" {
  for_each = local.signed

  identity_id = each.key

  clause_1_consent = true                 # application diagnostics
  clause_2_consent = each.value.usage     # feature usage
  clause_3_consent = false                # browser information
  clause_4_consent = false                # user information
  clause_5_consent = each.value.behaviour # user behaviour interaction

  agreement_time = each.value.on
}
