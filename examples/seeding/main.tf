# The consent of thousands of people from one file. None of them is in plan or state.
#
# `make demo` runs this against the mock server, with a thousand rows of its own;
# against a service of your own it runs as it is, once the environment says where
# that is.

terraform {
  required_version = ">= 1.5"

  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

# ANALYTICS_BASE_URL, ANALYTICS_API_SECRET_KEY, ANALYTICS_ORG_ID and
# ANALYTICS_PROJECT_ID are in the environment, so no secret is in a file.
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
