# Imports the consent that the service holds for these people.
locals {
  people = ["ada@example.com", "jane doe", "team/1"]
}

import {
  for_each = toset(local.people)

  to = analytics_consent.person[each.key]
  id = provider::analytics::import_id(each.key, "example-org", "example-project")
}

resource "analytics_consent" "person" {
  for_each = toset(local.people)

  identity_id = each.key

  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false

  agreement_time = "2026-01-10T08:00:00Z"
}
