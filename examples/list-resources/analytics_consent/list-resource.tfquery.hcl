# The people whom the service met on one day.
list "analytics_consent" "day" {
  provider = analytics
  limit    = 500

  config {
    utc_date = "2026-01-31"
  }
}

# People whose identities are known.
list "analytics_consent" "team" {
  provider = analytics

  config {
    identity_ids = ["ada@example.com", "user-1002"]
  }
}
