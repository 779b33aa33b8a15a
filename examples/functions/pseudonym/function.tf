# Resource addresses that do not identify people. Keep the key secret; you can show the
# pseudonyms.
variable "pseudonym_key" {
  type      = string
  sensitive = true
}

locals {
  people = ["ada@example.com", "jane@example.com"]
  by_pseudonym = {
    for identity in local.people :
    nonsensitive(provider::analytics::pseudonym(identity, var.pseudonym_key)) => identity
  }
}

resource "analytics_consent" "person" {
  for_each = local.by_pseudonym

  identity_id = each.value

  clause_1_consent = true
  clause_2_consent = false
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false

  agreement_time = "2026-02-01T08:00:00Z"
}
