# The environment names the service: test.sh starts one for these tests.
provider "analytics" {}

run "two_people_join" {
  variables {
    joined = {
      "user-1001"       = "2026-02-01T08:00:00Z"
      "ada@example.com" = "2026-02-01T08:00:00Z" # in tests/seed.json, with a later choice
    }
  }

  assert {
    condition     = length(output.participants) == 2
    error_message = "The module must manage the consent of both people."
  }
}

run "consent_is_recorded" {
  module {
    source = "./tests/reading"
  }

  variables {
    identity_id = "user-1001"
  }

  assert {
    condition     = data.analytics_consent.person.clause_2_consent && !data.analytics_consent.person.clause_4_consent
    error_message = "The service must hold consent to feature usage, and none to user information."
  }
}

run "a_later_choice_stands" {
  module {
    source = "./tests/reading"
  }

  variables {
    identity_id = "ada@example.com"
  }

  assert {
    condition     = !data.analytics_consent.person.clause_2_consent
    error_message = "Ada refused feature usage after she had joined, and the module must not overwrite that."
  }
}

run "one_person_leaves" {
  variables {
    joined = { "ada@example.com" = "2026-02-01T08:00:00Z" }
  }

  assert {
    condition     = length(output.participants) == 1 && contains(output.participants, "ada@example.com")
    error_message = "Only Ada must be left."
  }
}

run "consent_is_withdrawn" {
  module {
    source = "./tests/reading"
  }

  variables {
    identity_id = "user-1001"
  }

  assert {
    condition     = !data.analytics_consent.person.clause_1_consent && !data.analytics_consent.person.clause_2_consent
    error_message = "The consent of a person who leaves must be withdrawn."
  }
}
