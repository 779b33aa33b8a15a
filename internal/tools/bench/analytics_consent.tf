terraform {
  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

resource "analytics_consent" "people" {
  for_each = { for p in csvdecode(file("people.csv")) : p.identity_id => p }

  identity_id      = each.value.identity_id
  clause_1_consent = each.value.clause_1_consent
  clause_2_consent = each.value.clause_2_consent
  clause_3_consent = each.value.clause_3_consent
  clause_4_consent = each.value.clause_4_consent
  clause_5_consent = each.value.clause_5_consent
  user_ipv6        = each.value.user_ipv6
  agreement_time   = each.value.agreement_time
}
