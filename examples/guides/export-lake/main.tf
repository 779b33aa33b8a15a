variable "now" {
  description = "Time to count back from, in RFC 3339. Defaults to the time of the plan."
  type        = string
  default     = null
}

variable "days" {
  description = "Number of days that each run compares with their files."
  type        = number
  default     = 7
}

variable "again" {
  description = "Days to export again for late records: a map of dates to any new value."
  type        = map(string)
  default     = {}
}

locals {
  now = coalesce(var.now, plantimestamp())

  # The last complete days in UTC. Today is not complete.
  dates = {
    for ago in range(1, var.days + 1) :
    formatdate("YYYY-MM-DD", timeadd(local.now, "-${24 * ago}h")) => ago
  }
}

# One request per day, and one file per kind:
# lake/events/dt=2026-11-20/part-0.ndjson.zst, and the same for persons and sessions.
resource "analytics_export_file" "day" {
  for_each = local.dates

  utc_date           = each.key
  path               = "${path.root}/lake/{kind}/dt=${each.key}/part-0.ndjson.zst"
  compression        = "zstd"
  create_directories = true

  # Remove a day that leaves the window from state, and keep its files in the lake.
  on_destroy = "retain"

  triggers = { again = lookup(var.again, each.key, "") }
}

output "digests" {
  value = { for date, day in analytics_export_file.day : date => { for kind, file in day.files : kind => file.sha256 } }
}

output "records" {
  value = { for date, day in analytics_export_file.day : date => day.counts }
}
