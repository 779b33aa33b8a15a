# One workspace for each shard. Both resources are of the provider hashicorp/tfe.
variable "shards" {
  type    = number
  default = 8
}

resource "tfe_workspace" "shard" {
  count        = var.shards
  organization = "example-org"
  name         = "consent-shard-${count.index}"
  auto_apply   = true
}

resource "tfe_variable" "shard" {
  count        = var.shards
  workspace_id = tfe_workspace.shard[count.index].id
  category     = "terraform"
  key          = "shard"
  value        = count.index
}

resource "tfe_variable" "shards" {
  count        = var.shards
  workspace_id = tfe_workspace.shard[count.index].id
  category     = "terraform"
  key          = "shards"
  value        = var.shards
}

resource "tfe_variable" "at_once" {
  count        = var.shards
  workspace_id = tfe_workspace.shard[count.index].id
  category     = "terraform"
  key          = "at_once"
  value        = var.shards
}
