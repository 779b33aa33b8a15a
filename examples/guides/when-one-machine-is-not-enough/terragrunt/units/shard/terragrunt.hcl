terraform {
  source = "${get_repo_root()}/consent" # the folder of main.tf
}

remote_state {
  backend  = "s3"
  generate = { path = "backend.tf", if_exists = "overwrite_terragrunt" }
  config = {
    bucket       = "example-states"
    key          = "consent/shard-${values.shard}.tfstate"
    region       = "eu-central-1"
    encrypt      = true
    use_lockfile = true
  }
}

inputs = {
  shard   = values.shard
  shards  = values.shards
  at_once = values.shards
  people  = "${get_repo_root()}/consent/people.ndjson"
}
