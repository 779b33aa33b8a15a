# The pending requests of one person.
data "analytics_pending_requests" "jane" {
  identity_id = "jane.doe@example.com"
}

# The 100 oldest deletions. The counts include all deletions in the list.
data "analytics_pending_requests" "deletions" {
  operation    = "data_deletion"
  max_requests = 100
}

check "deletions_are_carried_out" {
  assert {
    condition     = data.analytics_pending_requests.deletions.total < 100
    error_message = "${data.analytics_pending_requests.deletions.total} deletions are pending."
  }

  assert {
    condition = alltrue([
      for request in data.analytics_pending_requests.deletions.requests :
      timecmp(coalesce(request.created_at, plantimestamp()), timeadd(plantimestamp(), "-72h")) > 0
    ])
    error_message = "A deletion has been pending for more than three days."
  }
}
