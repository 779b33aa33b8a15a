# Consent that was given on paper. If the person makes a later choice in the service's
# banner, the choice stands and the plan shows a warning.
resource "analytics_consent" "ada" {
  identity_id = "ada@example.com"

  clause_1_consent = true  # application diagnostics
  clause_2_consent = true  # feature usage
  clause_3_consent = false # browser information
  clause_4_consent = false # user information
  clause_5_consent = false # user behaviour interaction

  agreement_time = "2026-02-01T08:00:00Z"
  user_ipv6      = "2001:db8::ada"
}

# The people of a test tenant, seeded from a map. Destroy withdraws their consent.
resource "analytics_consent" "tester" {
  for_each = {
    "tester-1" = true
    "tester-2" = false
  }

  identity_id = each.key

  clause_1_consent = true
  clause_2_consent = each.value
  clause_3_consent = each.value
  clause_4_consent = false
  clause_5_consent = false

  keep_later_choice = false # nobody makes a later choice in a test tenant
  on_destroy        = "withdraw"
}
