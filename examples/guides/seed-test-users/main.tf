terraform {
  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

# Address, scope and credentials come from the environment.
provider "analytics" {}

resource "analytics_consent_batch" "test_users" {
  source     = "${path.root}/users.csv"
  on_destroy = "withdraw" # a destroy sets all clauses of the test users to false
}

# One of them, as the service holds them now.
data "analytics_consent" "sample" {
  identity_id = "test-001"
  depends_on  = [analytics_consent_batch.test_users]
}

output "evidence" {
  value = {
    rows    = analytics_consent_batch.test_users.rows
    written = analytics_consent_batch.test_users.written
    kept    = analytics_consent_batch.test_users.kept
    missing = analytics_consent_batch.test_users.missing
    sample  = data.analytics_consent.sample.clause_1_consent
  }
}
