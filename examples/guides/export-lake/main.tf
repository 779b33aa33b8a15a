variable "now" {
  description = "The time to count back from, in RFC 3339; the time of the plan where it is null."
  type        = string
  default     = null
}

variable "days" {
  description = "How many days are compared with their files in each run."
  type        = number
  default     = 7
}

variable "again" {
  description = "Days to export again for late records: the date, and any value that is new."
  type        = map(string)
  default     = {}
}

locals {
  now = coalesce(var.now, plantimestamp())

  # The last complete days in UTC, without today, which is not over.
  dates = {
    for ago in range(1, var.days + 1) :
    formatdate("YYYY-MM-DD", timeadd(local.now, "-${24 * ago}h")) => ago
  }
}

# One request for a day, and one file for each kind:
# lake/events/dt=2026-11-20/part-0.ndjson.zst, and the same for persons and sessions.
resource "analytics_export_file" "day" {
  for_each = local.dates

  utc_date           = each.key
  path               = "${path.root}/lake/{kind}/dt=${each.key}/part-0.ndjson.zst"
  compression        = "zstd"
  create_directories = true

  # A day that leaves the window leaves the state, and its files stay in the lake.
  on_destroy = "retain"

  triggers = { again = lookup(var.again, each.key, "") }
}

output "digests" {
  value = { for date, day in analytics_export_file.day : date => day.sha256_by_kind }
}

output "records" {
  value = { for date, day in analytics_export_file.day : date => day.counts }
}
