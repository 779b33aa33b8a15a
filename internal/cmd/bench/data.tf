variable "people" {
  type = map(object({
    identity_id      = string
    clause_1_consent = bool
    clause_2_consent = bool
    clause_3_consent = bool
    clause_4_consent = bool
    clause_5_consent = bool
    user_ipv6        = string
    agreement_time   = string
  }))
}

resource "terraform_data" "people" {
  for_each = var.people

  # The nine values of an analytics_consent.
  input = merge(each.value, { manual = true })
}
