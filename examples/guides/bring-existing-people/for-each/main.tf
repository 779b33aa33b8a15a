locals {
  people = {
    for row in provider::analytics::consent_rows(file("${path.module}/people.csv")) : row.identity_id => merge(row, {
      import_id = provider::analytics::import_id(row.identity_id)
    })
  }
}

import {
  for_each = local.people
  to       = analytics_consent.person[each.key]
  id       = each.value.import_id
}

resource "analytics_consent" "person" {
  for_each = local.people

  identity_id      = each.value.identity_id
  clause_1_consent = each.value.clause_1_consent
  clause_2_consent = each.value.clause_2_consent
  clause_3_consent = each.value.clause_3_consent
  clause_4_consent = each.value.clause_4_consent
  clause_5_consent = each.value.clause_5_consent
  agreement_time   = each.value.agreement_time
}
