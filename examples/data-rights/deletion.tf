# user-1001 asked to be forgotten. This cannot be undone, and the plan says so.
resource "analytics_data_deletion" "user_1001" {
  identity_id         = "user-1001"
  wait_for_fulfilment = var.wait_for_deletion

  triggers = {
    asked_on = "2026-03-09"
  }
}

variable "wait_for_deletion" {
  description = "Whether an apply ends only once the data is gone."
  type        = bool
  default     = true
}

# What the service has accepted of this person and not carried out yet.
data "analytics_pending_requests" "user_1001" {
  identity_id = analytics_data_deletion.user_1001.identity_id
  depends_on  = [analytics_data_deletion.user_1001]
}

output "pending_deletions" {
  value = data.analytics_pending_requests.user_1001.counts_by_operation["data_deletion"]
}

# Deleting data does not revoke consent: that is a record of its own.
data "analytics_consent" "user_1001" {
  identity_id = analytics_data_deletion.user_1001.identity_id
  depends_on  = [analytics_data_deletion.user_1001]
}

check "consent_is_kept" {
  assert {
    condition     = data.analytics_consent.user_1001.clause_1_consent != null
    error_message = "The record of consent went with the data."
  }
}
