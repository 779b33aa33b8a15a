variable "date" {
  description = "UTC day to export, YYYY-MM-DD. Defaults to the day before the plan."
  type        = string
  default     = null
}

locals {
  date = coalesce(var.date, formatdate("YYYY-MM-DD", timeadd(plantimestamp(), "-24h")))
}

# Its state is lost with the machine, so each run exports the day.
resource "analytics_export_file" "nightly" {
  utc_date           = local.date
  path               = "${path.root}/lake/{kind}/dt=${local.date}/part-0.ndjson.zst"
  compression        = "zstd"
  create_directories = true
}
