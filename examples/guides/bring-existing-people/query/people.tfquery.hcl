list "analytics_consent" "person" {
  provider = analytics
  limit    = 1000

  config {
    utc_date = "2026-01-31"
  }
}
