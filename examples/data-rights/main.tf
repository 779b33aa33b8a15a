# Three rights of a person as code: correction (profile.tf), access (access.tf) and
# erasure (deletion.tf). The service queues all three requests and carries them out
# later; Terraform waits for them.
#
# `make demo` applies these files one by one against the mock server. To use your own
# service, set the environment variables below.

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
