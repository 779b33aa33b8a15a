# The day before, in a plan where it is small and in a file whatever its size. Run it
# once a night, after 02:00 UTC, when the day is complete.
#
# `make demo` runs this against the mock server; against a service of your own it runs
# as it is, once the environment says where that is.

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

locals {
  yesterday = formatdate("YYYY-MM-DD", timeadd(plantimestamp(), "-24h"))
}

# A look at the day while planning. Only what is needed enters plan and state.
data "analytics_export" "yesterday" {
  utc_date = local.yesterday
  kinds    = ["persons"]
}

# The whole day for other systems to load, from one request into one file for each
# kind. Each night replaces the files in place, and nothing of a day that broke off ever
# stands at path.
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
    sha256 = analytics_export_file.yesterday.sha256_by_kind
  }
}
