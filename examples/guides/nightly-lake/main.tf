terraform {
  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

provider "analytics" {}

variable "from" {
  description = "First day to export. Defaults to yesterday, in UTC."
  type        = string
  default     = null
}

variable "to" {
  description = "Last day to export. Defaults to the first."
  type        = string
  default     = null
}

locals {
  yesterday = formatdate("YYYY-MM-DD", timeadd(plantimestamp(), "-24h"))
  from      = coalesce(var.from, local.yesterday)
  dates     = provider::analytics::utc_dates(local.from, coalesce(var.to, local.from))
}

# lake/events/dt=2026-02-09/part-0.ndjson.gz, and the same for persons and sessions.
resource "analytics_export_file" "day" {
  for_each = { for date in local.dates : date => date }

  utc_date           = each.key
  path               = "${path.root}/lake/{kind}/dt=${each.key}/part-0.ndjson.gz"
  compression        = "gzip"
  create_directories = true
  overwrite          = true     # a day that was exported before is exported again
  on_destroy         = "retain" # the files of earlier days stay
}

output "manifest" {
  value = { for date, day in analytics_export_file.day : date => {
    counts = day.counts
    sha256 = { for kind, file in day.files : kind => file.sha256 }
  } }
}
