#!/bin/sh
# Runs a command so that nothing in a person's own Terraform or provider settings
# counts, and nothing of theirs is touched: no CLI configuration, no plugin
# cache, no default arguments, no credentials of a real service. TF_ACC* and
# TF_LOG* stay, since they are set for a run of the tests.
#
# usage: internal/tools/isolated.sh COMMAND [ARGUMENT ...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)

for name in $(env | sed -n 's/^\(TF_[A-Za-z0-9_]*\)=.*/\1/p; s/^\(ANALYTICS_[A-Za-z0-9_]*\)=.*/\1/p'); do
	case $name in
	TF_ACC* | TF_LOG*) ;;
	*) unset "$name" ;;
	esac
done

export TF_CLI_CONFIG_FILE="$here/terraform.rc" CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1

exec "$@"
