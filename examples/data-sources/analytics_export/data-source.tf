data "analytics_export" "day" {
  utc_date = "2026-02-01"
  kinds    = ["persons", "events"]
}

# The records are sensitive. Use nonsensitive to show values that you derive from them.
output "events_by_name" {
  value = {
    for name, events in nonsensitive({ for e in jsondecode(data.analytics_export.day.events) : e.name => e.id... }) :
    name => length(events)
  }
}

check "day_has_events" {
  assert {
    condition     = data.analytics_export.day.counts.events > 0
    error_message = "There are no events on 2026-02-01."
  }
}
