terraform {
  required_providers {
    restful = {
      source = "magodo/restful"
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

provider "restful" {
  base_url = var.base_url
  security = {
    apikey = [{ in = "query", name = "apiSecretToken", value = var.secret_key }]
  }
}

resource "restful_resource" "people" {
  for_each = local.people

  path          = local.paths[each.key]
  create_method = "PATCH"
  update_method = "PATCH"
  body          = local.records[each.key]
}
