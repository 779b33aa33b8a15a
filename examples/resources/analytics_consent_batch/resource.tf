# Consent that was moved over from another system: one row per person, checked and
# compared at plan. Later choices of these people stand.
resource "analytics_consent_batch" "migrated" {
  source = "${path.module}/consents.csv"

  timeouts {
    create = "4h"
  }
}

# Rows that no file may hold: they are in no plan and no state. Needs Terraform 1.11.
variable "panel_consents" {
  description = "NDJSON, one object per person."
  type        = string
  ephemeral   = true
}

resource "analytics_consent_batch" "panel" {
  content_wo         = var.panel_consents
  content_wo_version = 1
  format             = "ndjson"
}
