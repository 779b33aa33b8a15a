locals {
  existing = {
    grace = { identity_id = "user-1001", agreed = "2025-11-05T10:00:00Z" }
    alan  = { identity_id = "team/alan", agreed = "2025-12-01T09:30:00Z" }
  }
}

import {
  for_each = local.existing
  to       = analytics_consent.existing[each.key]
  identity = { identity_id = each.value.identity_id }
}

resource "analytics_consent" "existing" {
  for_each = local.existing

  identity_id = each.value.identity_id

  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false

  agreement_time = each.value.agreed
}
