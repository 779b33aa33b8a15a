variable "phone_number" {
  description = "Set at run time and stored nowhere."
  type        = string
  ephemeral   = true
}

variable "ip_address" {
  description = "Set at run time and stored nowhere."
  type        = string
  ephemeral   = true
}

resource "analytics_profile" "ada" {
  identity_id = "user-1001" # prefer a database ID to an e-mail address

  profile_wo         = jsonencode({ phone = var.phone_number })
  profile_wo_version = 1 # increase it to send the value again
}

resource "analytics_consent" "ada" {
  identity_id = "user-1001"

  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false

  agreement_time = "2026-02-01T08:00:00Z"

  user_ipv6_wo         = var.ip_address
  user_ipv6_wo_version = 1
}
