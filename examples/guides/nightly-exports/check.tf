# Warns about a day without sessions.
data "analytics_export" "yesterday" {
  utc_date = formatdate("YYYY-MM-DD", timeadd(local.now, "-24h"))
  kinds    = ["sessions"]
}

check "yesterday_has_sessions" {
  assert {
    condition     = data.analytics_export.yesterday.counts.sessions > 0
    error_message = "There are no sessions from yesterday."
  }
}
