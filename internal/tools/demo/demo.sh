#!/bin/sh
# Shows the provider at work on a real Terraform or OpenTofu, against the mock server that is
# part of the provider's program. Each step checks what it says, and nothing is left behind: no
# file, no process, no trace in a person's Terraform settings.
#
# usage: internal/tools/demo/demo.sh PROVIDER       with the CLI in TF_ACC_TERRAFORM_PATH
set -eu
provider=$1
tools=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$tools/../../.." && pwd)

# The script starts itself once more below the mock server, which ends with it.
if [ -z "${DEMO_FOLDER:-}" ]; then
	DEMO_FOLDER=$(mktemp -d)
	trap 'rm -rf "$DEMO_FOLDER"' EXIT
	trap 'exit 130' INT TERM HUP
	export DEMO_FOLDER
	"$provider" mockserver -seed "$tools/seed.json" -fulfilment-delay 2s -export-records 2000 \
		-log "$DEMO_FOLDER/requests" -- "$0" "$provider"
	exit
fi

. "$tools/stage.sh"
. "$tools/story.sh"
