terraform {
  required_providers {
    restapi = {
      source = "Mastercard/restapi"
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

provider "restapi" {
  uri                  = var.base_url
  create_method        = "PATCH"
  update_method        = "PATCH"
  write_returns_object = true
}

resource "restapi_object" "people" {
  for_each = var.people

  object_id    = each.key
  path         = local.paths[each.key]
  read_path    = local.paths[each.key]
  update_path  = local.paths[each.key]
  destroy_path = local.paths[each.key]
  query_string = "apiSecretToken=${urlencode(nonsensitive(var.secret_key))}"
  data         = jsonencode(local.records[each.key])
}
