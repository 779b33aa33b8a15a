#!/bin/sh
# Tests the module in this folder against a service in memory, without an account.
set -eu
terraform init
provider=$(find -L .terraform/providers -name 'terraform-provider-analytics_v*')
"$provider" mockserver -seed tests/seed.json -log requests.log -- terraform test
