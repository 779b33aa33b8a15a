variable "now" {
  description = "Time to count back from, in RFC 3339. Defaults to the time of the plan."
  type        = string
  default     = null
}

variable "days" {
  description = "Number of days to keep as files."
  type        = number
  default     = 7
}

locals {
  now = coalesce(var.now, plantimestamp())

  # The last complete days in UTC. Today is not complete.
  dates = {
    for ago in range(1, var.days + 1) :
    formatdate("YYYY-MM-DD", timeadd(local.now, "-${24 * ago}h")) => ago
  }
}

resource "analytics_export_file" "day" {
  for_each = local.dates

  utc_date    = each.key
  path        = "${path.root}/${each.key}.ndjson.gz"
  compression = "gzip"
}

output "records" {
  value = { for date, day in analytics_export_file.day : date => day.counts }
}

output "digests" {
  value = { for date, day in analytics_export_file.day : date => day.sha256 }
}
