# What is pending for one person.
data "analytics_pending_requests" "jane" {
  identity_id = "jane.doe@example.com"
}

# The counts alone, however long the list is.
data "analytics_pending_requests" "all" {
  max_requests = 0
}

check "deletions_are_carried_out" {
  assert {
    condition     = data.analytics_pending_requests.all.counts_by_operation["data_deletion"] < 100
    error_message = "More than 100 deletions are pending."
  }
}
