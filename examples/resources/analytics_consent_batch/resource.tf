# Consent that was migrated from another system, with one row per person. The plan
# checks and compares the rows. Later choices of these people stand.
resource "analytics_consent_batch" "migrated" {
  source = "${path.module}/consents.csv"
}

# Rows that must not be stored in a file, plan or state. Needs Terraform 1.11 or newer.
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
