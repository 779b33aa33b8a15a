resource "analytics_consent_batch" "people" {
  source = "${path.root}/people.ndjson"
}
