list "analytics_consent" "person" {
  provider         = analytics
  include_resource = true
  limit            = 100000

  config {
    utc_date = "2026-01-31"
  }
}
