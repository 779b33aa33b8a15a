terraform {
  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

provider "analytics" {
  wire {
    consent {
      time_kept = "minute"
      altered   = ["user_ipv6"]
    }
  }
}

resource "analytics_consent" "ada" {
  identity_id      = "ada@example.com"
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false
  agreement_time   = "2026-01-15T09:30:00Z"
}
