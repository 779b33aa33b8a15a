# terraform apply -auto-approve -invoke=action.analytics_export_day.nightly
action "analytics_export_day" "nightly" {
  config {
    # The day before, in UTC. timestamp() is not known in a plan, and would be refused.
    utc_date = formatdate("YYYY-MM-DD", timeadd(plantimestamp(), "-24h"))

    path               = "${path.root}/export/{kind}.ndjson.zst"
    kinds              = ["persons", "events"]
    compression        = "zstd"
    create_directories = true
  }
}
