# Tests what the module writes to the service that the environment names, such as the
# mock server of this repository. The test destroys everything that it creates.
provider "analytics" {}

variables {
  people     = { "ada@example.com" = { agreed_to = [1, 2, 5], agreed_at = "2026-02-01T08:00:00Z", address = "192.0.2.17" } }
  on_leaving = "withdraw"
}

run "consent_is_recorded" {
  assert {
    condition     = output.agreed.feature_usage == 1 && output.agreed.user_information == 0
    error_message = "The service does not hold the configured consent."
  }
}

run "a_change_of_mind_is_recorded" {
  variables {
    people = { "ada@example.com" = { agreed_to = [1], agreed_at = "2026-03-01T08:00:00Z", address = "192.0.2.17" } }
  }

  assert {
    condition     = output.agreed.feature_usage == 0 && output.agreed.application_diagnostics == 1
    error_message = "The service does not hold the changed consent."
  }
}
