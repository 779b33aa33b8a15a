# user-1001 asked for erasure. A deletion cannot be undone; the plan warns.
resource "analytics_data_deletion" "user_1001" {
  identity_id         = "user-1001"
  wait_for_fulfilment = var.wait_for_deletion

  triggers = {
    asked_on = "2026-03-09"
  }
}

variable "wait_for_deletion" {
  description = "Whether an apply waits until the data is deleted."
  type        = bool
  default     = true
}

# The requests of this person that the service has not yet carried out.
data "analytics_pending_requests" "user_1001" {
  identity_id = analytics_data_deletion.user_1001.identity_id
  depends_on  = [analytics_data_deletion.user_1001]
}

output "pending_deletions" {
  value = data.analytics_pending_requests.user_1001.counts_by_operation["data_deletion"]
}

# A deletion does not revoke consent, which is a separate record.
data "analytics_consent" "user_1001" {
  identity_id = analytics_data_deletion.user_1001.identity_id
  depends_on  = [analytics_data_deletion.user_1001]
}

check "consent_is_kept" {
  assert {
    condition     = data.analytics_consent.user_1001.clause_1_consent != null
    error_message = "The consent record was deleted with the data."
  }
}
