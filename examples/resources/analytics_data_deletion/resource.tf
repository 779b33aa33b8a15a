# The plan warns: this cannot be undone, and consent is not revoked by it.
resource "analytics_data_deletion" "jane" {
  identity_id = "jane.doe@example.com"

  timeouts {
    create = "30m"
  }
}

# People who asked to be forgotten, and when. A later date for the same person
# submits another deletion, for what has come in since.
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

  # Submit them all and let later runs see when they are carried out.
  wait_for_fulfilment = false
}
