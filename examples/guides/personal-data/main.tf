variable "phone_number" {
  description = "Set at run time and stored nowhere."
  type        = string
  ephemeral   = true
}

resource "analytics_profile" "ada" {
  identity_id = "user-1001" # prefer a database ID to an e-mail address

  profile_wo         = jsonencode({ phone = var.phone_number })
  profile_wo_version = 1 # increase it to send the value again
}
