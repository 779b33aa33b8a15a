# Exports the day before: a small part in the plan, and the whole day in files. Run it
# once a night, after 02:00 UTC, when the day is complete.
#
# `make demo` runs this against the mock server. To use your own service, set the
# environment variables below.

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

locals {
  yesterday = formatdate("YYYY-MM-DD", timeadd(plantimestamp(), "-24h"))
}

# Reads part of the day during the plan. Plan and state contain only these records.
data "analytics_export" "yesterday" {
  utc_date = local.yesterday
  kinds    = ["persons"]
}

# Writes the whole day for other systems to load, with one request and one file per
# kind. Each night replaces the files in place. An interrupted export leaves no partial
# file at path.
resource "analytics_export_file" "yesterday" {
  utc_date           = local.yesterday
  path               = "${path.root}/yesterday/{kind}.ndjson.gz"
  compression        = "gzip"
  create_directories = true
}

output "persons" {
  value = data.analytics_export.yesterday.counts.persons
}

output "files" {
  value = {
    date   = analytics_export_file.yesterday.utc_date
    counts = analytics_export_file.yesterday.counts
    bytes  = analytics_export_file.yesterday.bytes
    files  = analytics_export_file.yesterday.files
  }
}
