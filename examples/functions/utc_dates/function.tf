# Exports one file for each day of a week.
resource "analytics_export_file" "day" {
  for_each = toset(provider::analytics::utc_dates("2026-01-26", "2026-02-01"))

  utc_date    = each.key
  path        = "${path.root}/exports/${each.key}.ndjson.zst"
  compression = "zstd"

  create_directories = true
}
