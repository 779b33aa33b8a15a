# What a person may ask for, as code: that a record is corrected (profile.tf), that
# the data is handed out (access.tf), and that it is deleted (deletion.tf). The
# service queues all three and carries them out later; Terraform waits for it.
#
# `make demo` runs this against the mock server, one file after another; against a
# service of your own it runs as it is, once the environment says where that is.

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
