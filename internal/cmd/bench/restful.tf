terraform {
  required_providers {
    restful = {
      source = "magodo/restful"
    }
  }
}

variable "people" {
  type = map(object({
    identity_id      = string
    clause_1_consent = bool
    clause_2_consent = bool
    clause_3_consent = bool
    clause_4_consent = bool
    clause_5_consent = bool
    user_ipv6        = string
    agreement_time   = string
  }))
}

variable "base_url" {}

variable "secret_key" {
  sensitive = true
}

locals {
  paths   = { for id, _ in var.people : id => "/v1/org/org-bench/project/web/compliance/user/${urlencode(id)}/consent" }
  records = { for id, p in var.people : id => { for name, value in p : name => value if name != "identity_id" } }
}

provider "restful" {
  base_url = var.base_url
  security = {
    apikey = [{ in = "query", name = "apiSecretToken", value = var.secret_key }]
  }
}

resource "restful_resource" "people" {
  for_each = var.people

  path          = local.paths[each.key]
  create_method = "PATCH"
  update_method = "PATCH"
  body          = local.records[each.key]
}
