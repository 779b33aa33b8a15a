# The consent of three people as code. `make demo` runs this against the mock server.
# To use your own service, set the environment variables below.

terraform {
  required_version = ">= 1.5"

  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

# Set ANALYTICS_BASE_URL, ANALYTICS_API_SECRET_KEY (or ANALYTICS_EMAIL and
# ANALYTICS_PASSWORD), ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID in the environment,
# so that no file contains a secret.
provider "analytics" {}

locals {
  # The clauses that each person agreed to, with time and IP address. The keys are the
  # person's identifiers at the service.
  people = {
    "user-1001" = {
      agreed_at   = "2026-01-15T09:30:00Z"
      address     = "2001:db8::1001"
      diagnostics = true
      features    = true
      browser     = true
      personal    = false
      behaviour   = false
      on_destroy  = "retain"
    }

    "user-1002" = {
      agreed_at   = "2026-01-20T14:05:00+01:00"
      address     = "192.0.2.17" # the provider maps IPv4 addresses into IPv6
      diagnostics = true
      features    = false
      browser     = false
      personal    = false
      behaviour   = false
      on_destroy  = "withdraw" # withdraw the consent when this entry is removed
    }

    "ada@example.com" = {
      agreed_at   = "2026-02-01T08:00:00Z"
      address     = "2001:db8::ada"
      diagnostics = true
      features    = true
      browser     = true
      personal    = true
      behaviour   = true
      on_destroy  = "retain"
    }
  }
}

resource "analytics_consent" "person" {
  for_each = local.people

  identity_id = each.key

  clause_1_consent = each.value.diagnostics # application diagnostics
  clause_2_consent = each.value.features    # feature usage
  clause_3_consent = each.value.browser     # browser information
  clause_4_consent = each.value.personal    # user information
  clause_5_consent = each.value.behaviour   # user behaviour interaction

  agreement_time = each.value.agreed_at
  user_ipv6      = each.value.address
  on_destroy     = each.value.on_destroy
}

output "agreed_to_feature_usage" {
  description = "Number of people who agreed to clause 2, as the service holds it now."
  value       = length([for person in analytics_consent.person : person if person.clause_2_consent])
}
