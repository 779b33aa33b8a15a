# Tests how the module reads its input. The provider is mocked, so this needs no
# service: terraform test -filter=tests/input.tftest.hcl
mock_provider "analytics" {}

run "a_map_and_a_file_are_taken_together" {
  command = plan

  variables {
    people      = { "ada@example.com" = { agreed_to = [1, 2, 5], agreed_at = "2026-02-01T08:00:00Z" } }
    people_file = "tests/people.csv"
  }

  assert {
    condition     = length(output.identities) == 3
    error_message = "Two people from the file and one from the map must make three."
  }

  assert {
    condition     = analytics_consent.person["ada@example.com"].clause_5_consent && !analytics_consent.person["ada@example.com"].clause_3_consent
    error_message = "Ada agreed to clause 5, but not to clause 3."
  }

  assert {
    condition     = analytics_consent.person["user-1002"].user_ipv6 == null
    error_message = "An empty cell must not become an address."
  }
}

run "a_clause_that_does_not_exist_is_refused" {
  command = plan

  variables {
    people = { "ada@example.com" = { agreed_to = [6], agreed_at = "2026-02-01T08:00:00Z" } }
  }

  expect_failures = [var.people]
}

run "consent_without_a_date_is_pointed_out" {
  command = plan

  variables {
    people = { "ada@example.com" = { agreed_to = [1] } }
  }

  expect_failures = [check.every_person_has_a_date]
}

run "a_person_in_both_is_refused" {
  command = plan

  variables {
    people      = { "user-1001" = { agreed_to = [1], agreed_at = "2026-02-01T08:00:00Z" } }
    people_file = "tests/people.csv"
  }

  expect_failures = [analytics_consent.person]
}
