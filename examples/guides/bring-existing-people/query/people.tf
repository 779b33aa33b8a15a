# __generated__ by Terraform
# Please review these resources and move them into your main configuration files.

# __generated__ by Terraform
resource "analytics_consent" "person_0" {
  provider             = analytics
  agreement_time       = "2026-01-11T08:00:00Z"
  clause_1_consent     = true
  clause_2_consent     = false
  clause_3_consent     = false
  clause_4_consent     = false
  clause_5_consent     = false
  identity_id          = "user-1002"
  manual               = false
  user_ipv6            = null # sensitive
  user_ipv6_wo         = null
  user_ipv6_wo_version = null
}

import {
  to       = analytics_consent.person_0
  provider = analytics
  identity = {
    account_id  = null
    identity_id = "user-1002"
    org_id      = "example-org"
    project_id  = "example-project"
  }
}

resource "analytics_consent" "person_1" {
  provider             = analytics
  agreement_time       = "2026-01-12T08:00:00Z"
  clause_1_consent     = true
  clause_2_consent     = false
  clause_3_consent     = true
  clause_4_consent     = false
  clause_5_consent     = false
  identity_id          = "user-1003"
  user_ipv6            = null # sensitive
  user_ipv6_wo         = null
  user_ipv6_wo_version = null
}

import {
  to       = analytics_consent.person_1
  provider = analytics
  identity = {
    account_id  = null
    identity_id = "user-1003"
    org_id      = "example-org"
    project_id  = "example-project"
  }
}
