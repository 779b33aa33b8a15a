terraform {
  required_providers {
    restapi = {
      source = "Mastercard/restapi"
    }
  }
}

variable "base_url" {}

variable "secret_key" {
  sensitive = true
}

locals {
  people = { for p in csvdecode(file("people.csv")) : p.identity_id => p }
  paths  = { for id, _ in local.people : id => "/v1/org/org-bench/project/web/compliance/user/${urlencode(id)}/consent" }
  records = { for id, p in local.people : id => merge(
    { for name, value in p : name => tobool(value) if startswith(name, "clause_") },
    { for name, value in p : name => value if !startswith(name, "clause_") && name != "identity_id" },
  ) }
}

provider "restapi" {
  uri                  = var.base_url
  create_method        = "PATCH"
  update_method        = "PATCH"
  write_returns_object = true
}

resource "restapi_object" "people" {
  for_each = local.people

  object_id    = each.key
  path         = local.paths[each.key]
  read_path    = local.paths[each.key]
  update_path  = local.paths[each.key]
  destroy_path = local.paths[each.key]
  query_string = "apiSecretToken=${urlencode(nonsensitive(var.secret_key))}"
  data         = jsonencode(local.records[each.key])
}
