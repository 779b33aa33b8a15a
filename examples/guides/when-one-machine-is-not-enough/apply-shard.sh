#!/bin/sh
# Applies one shard, with a state of its own: apply-shard.sh INDEX COUNT AT_ONCE
set -eu

terraform workspace select -or-create "shard-$1"
exec terraform apply -auto-approve -input=false -var "shard=$1" -var "shards=$2" -var "at_once=$3"
