data "analytics_consent" "ada" {
  identity_id = "ada@example.com"
}

# Stops a rollout that would track somebody who has not agreed to it.
check "feature_usage" {
  assert {
    condition     = data.analytics_consent.ada.clause_2_consent == true
    error_message = "Consent to feature usage is missing."
  }
}

# Fields that this provider does not know are in the complete answer.
output "consent_answer" {
  value     = jsondecode(data.analytics_consent.ada.json)
  sensitive = true
}
