# A day on which nobody came is worth a look.
data "analytics_export" "yesterday" {
  utc_date = formatdate("YYYY-MM-DD", timeadd(local.now, "-24h"))
  kinds    = ["sessions"]
}

check "somebody_came" {
  assert {
    condition     = data.analytics_export.yesterday.counts.sessions > 0
    error_message = "There is no session of yesterday."
  }
}
