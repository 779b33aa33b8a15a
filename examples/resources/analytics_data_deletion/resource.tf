# The plan warns that a deletion cannot be undone and does not revoke consent.
resource "analytics_data_deletion" "jane" {
  identity_id = "jane.doe@example.com"

  timeouts {
    create = "30m"
  }
}

# People who asked for erasure, with the date. A later date for the same person submits
# another deletion, for data that has arrived since.
locals {
  erasure_requests = {
    "user-1001" = "2026-01-31"
    "user-1002" = "2026-02-14"
  }
}

resource "analytics_data_deletion" "asked" {
  for_each = local.erasure_requests

  identity_id = each.key
  triggers    = { asked_on = each.value }

  # Submit all deletions. Later runs update `fulfilled`.
  wait_for_fulfilment = false
}
