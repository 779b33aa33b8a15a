# The consent of thousands of people from one file, without personal data in plan or
# state.
#
# `make demo` runs this against the mock server, with a thousand rows of its own. To
# use your own service, set the environment variables below.

terraform {
  required_version = ">= 1.5"

  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

# Set ANALYTICS_BASE_URL, ANALYTICS_API_SECRET_KEY, ANALYTICS_ORG_ID and
# ANALYTICS_PROJECT_ID in the environment, so that no file contains a secret.
provider "analytics" {}

resource "analytics_consent_batch" "people" {
  source = "${path.root}/consents.csv"
}

output "seeded" {
  value = {
    rows    = analytics_consent_batch.people.rows
    written = analytics_consent_batch.people.written
    kept    = analytics_consent_batch.people.kept # a later choice of the person stands
    missing = analytics_consent_batch.people.missing
  }
}
