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

  clause_1_consent = true  # application diagnostics
  clause_2_consent = true  # feature usage
  clause_3_consent = false # browser information
  clause_4_consent = false # user information
  clause_5_consent = false # user behaviour interaction

  agreement_time = "2026-02-01T08:00:00Z"
}
