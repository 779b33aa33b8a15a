# Manages thousands of people in one resource, without personal data in plan or state.
resource "analytics_consent_batch" "migrated" {
  source      = "${path.root}/consents.csv"
  report_path = "${path.root}/consents-report.ndjson" # the outcome of each row
}

check "all_rows_are_written" {
  assert {
    condition     = analytics_consent_batch.migrated.missing == 0
    error_message = "Some rows are not written yet. Apply again."
  }
}

output "seeded" {
  value = {
    rows    = analytics_consent_batch.migrated.rows
    written = analytics_consent_batch.migrated.written
    kept    = analytics_consent_batch.migrated.kept # a later choice of the person stands
  }
}
