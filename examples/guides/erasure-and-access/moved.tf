# Previously analytics_data_deletion.user_1001. The deletion is not sent again.
resource "analytics_data_deletion" "erasure" {
  for_each = { "DPO-2026-17" = "user-1001" }

  identity_id = each.value

  triggers = {
    asked_on = "2026-03-09"
  }
}

moved {
  from = analytics_data_deletion.user_1001
  to   = analytics_data_deletion.erasure["DPO-2026-17"]
}
