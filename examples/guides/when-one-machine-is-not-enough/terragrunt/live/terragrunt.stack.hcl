# In this folder: terragrunt stack run apply --parallelism 4 --non-interactive
unit "shard_0" {
  source = "../units/shard"
  path   = "shard-0"
  values = { shard = 0, shards = 4 }
}

unit "shard_1" {
  source = "../units/shard"
  path   = "shard-1"
  values = { shard = 1, shards = 4 }
}

unit "shard_2" {
  source = "../units/shard"
  path   = "shard-2"
  values = { shard = 2, shards = 4 }
}

unit "shard_3" {
  source = "../units/shard"
  path   = "shard-3"
  values = { shard = 3, shards = 4 }
}
