# The consent of one team, as a module that a platform team could publish. The input is
# a map, a CSV file, or both.

terraform {
  required_version = ">= 1.5"

  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

locals {
  # A CSV file contains only text. An empty cell means null.
  from_file = {
    for row in var.people_file == null ? [] : csvdecode(file(var.people_file)) : row.identity_id => {
      clauses   = [for clause in range(1, 6) : tobool(row["clause_${clause}"])]
      agreed_at = row.agreed_at == "" ? null : row.agreed_at
      address   = row.address == "" ? null : row.address
    }
  }
  from_map = {
    for identity, person in var.people : identity => {
      clauses   = [for clause in range(1, 6) : contains(person.agreed_to, clause)]
      agreed_at = person.agreed_at
      address   = person.address
    }
  }
  people = merge(local.from_file, local.from_map)
}

resource "analytics_consent" "person" {
  for_each = local.people

  identity_id = each.key

  clause_1_consent = each.value.clauses[0] # application diagnostics
  clause_2_consent = each.value.clauses[1] # feature usage
  clause_3_consent = each.value.clauses[2] # browser information
  clause_4_consent = each.value.clauses[3] # user information
  clause_5_consent = each.value.clauses[4] # user behaviour interaction

  agreement_time = each.value.agreed_at
  user_ipv6      = each.value.address
  on_destroy     = var.on_leaving

  lifecycle {
    precondition {
      condition     = length(setintersection(keys(local.from_file), keys(var.people))) == 0
      error_message = "A person is in both people and people_file. Remove one of the two entries."
    }
  }
}

# Without a date, the provider cannot detect that the person made a later choice.
check "every_person_has_a_date" {
  assert {
    condition     = alltrue([for person in local.people : person.agreed_at != null])
    error_message = "At least one person has no agreed_at, so Terraform would overwrite a later choice of that person."
  }
}
