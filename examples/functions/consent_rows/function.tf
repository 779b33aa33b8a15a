# Creates one resource for each row of a file.
locals {
  rows = { for row in provider::analytics::consent_rows(file("${path.module}/people.csv")) : row.identity_id => row }
}

resource "analytics_consent" "person" {
  for_each = local.rows

  identity_id = each.key

  clause_1_consent = each.value.clause_1_consent
  clause_2_consent = each.value.clause_2_consent
  clause_3_consent = each.value.clause_3_consent
  clause_4_consent = each.value.clause_4_consent
  clause_5_consent = each.value.clause_5_consent

  agreement_time = each.value.agreement_time
  user_ipv6      = each.value.user_ipv6
  manual         = each.value.manual
}
