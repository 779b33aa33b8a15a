data "analytics_consent" "ada" {
  identity_id = "ada@example.com"
}

# Warns before a rollout tracks a person who has not agreed to it.
check "feature_usage" {
  assert {
    condition     = data.analytics_consent.ada.clause_2_consent == true
    error_message = "Consent to feature usage is missing."
  }
}

# The complete answer also contains fields that the provider does not know.
output "consent_answer" {
  value     = jsondecode(data.analytics_consent.ada.json)
  sensitive = true
}
