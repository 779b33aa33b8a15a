variable "date" {
  description = "UTC day to export, YYYY-MM-DD. Defaults to the day before the plan."
  type        = string
  default     = null
}

locals {
  date = coalesce(var.date, formatdate("YYYY-MM-DD", timeadd(plantimestamp(), "-24h")))
}

action "analytics_export_day" "nightly" {
  config {
    utc_date           = local.date
    path               = "${path.root}/lake/{kind}/dt=${local.date}/part-0.ndjson.zst"
    compression        = "zstd"
    create_directories = true
  }
}
