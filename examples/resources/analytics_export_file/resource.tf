# The events of one day, unchanged, with one JSON text per line for a warehouse to load.
resource "analytics_export_file" "events" {
  utc_date    = "2026-02-01"
  kinds       = ["events"]
  with_kind   = false
  path        = "${path.root}/events-2026-02-01.ndjson.zst"
  compression = "zstd"
}

# All records of the day before. Run it nightly after 02:00 UTC.
locals {
  yesterday = formatdate("YYYY-MM-DD", timeadd(plantimestamp(), "-24h"))
}

resource "analytics_export_file" "yesterday" {
  utc_date  = local.yesterday
  path      = "${path.root}/yesterday.ndjson"
  max_bytes = 50 * 1024 * 1024 * 1024
}

output "exported" {
  value = {
    events    = analytics_export_file.events.counts.events
    yesterday = analytics_export_file.yesterday.counts
    sha256    = analytics_export_file.yesterday.sha256
  }
}
