# The consent of everyone who takes part in an early access programme: they agreed to
# application diagnostics and feature usage when they joined.

terraform {
  required_version = ">= 1.6"

  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

variable "joined" {
  description = "When each person joined, as RFC 3339. The keys are the person's identifiers at the service."
  type        = map(string)
}

resource "analytics_consent" "participant" {
  for_each = var.joined

  identity_id = each.key

  clause_1_consent = true  # application diagnostics
  clause_2_consent = true  # feature usage
  clause_3_consent = false # browser information
  clause_4_consent = false # user information
  clause_5_consent = false # user behaviour interaction

  agreement_time = each.value
  on_destroy     = "withdraw"
}

output "participants" {
  description = "The people whose consent this module manages."
  value       = keys(analytics_consent.participant)
}
