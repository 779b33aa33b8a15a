terraform {
  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

resource "analytics_consent_batch" "people" {
  source = "people.csv"
}
