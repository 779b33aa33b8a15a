terraform {
  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

provider "analytics" {}

resource "analytics_consent" "ada" {
  identity_id = "ada@example.com"

  clause_1_consent = true  # diagnostics
  clause_2_consent = true  # features
  clause_3_consent = false # browser
  clause_4_consent = false # user
  clause_5_consent = false # behaviour

  agreement_time = "2026-02-01T08:00:00Z"
}
