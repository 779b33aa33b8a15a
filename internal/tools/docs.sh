#!/bin/sh
# Generates docs/ from the provider's own schema, examples/ and templates/.
# "write" replaces docs/; "check" compares instead and changes nothing, neither
# files nor Git's index. The generator gets the schema from a file: it would otherwise
# download a Terraform, and the pages would depend on what that one knows of.
#
# usage: internal/tools/isolated.sh internal/tools/docs.sh write|check
set -eu
mode=$1
root=$(pwd)
generator=$root/.bin/tfplugindocs

terraform=$TF_ACC_TERRAFORM_PATH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$work/site"
go run ./internal/cmd/docs schema >"$work/schema.json"

case $mode in
write) "$terraform" fmt -recursive examples ;;
check) "$terraform" fmt -recursive -check -diff examples || {
	echo "examples are not formatted; run: make docs" >&2
	exit 1
} ;;
esac

# The table of what is concluded about a request, in its package and in a guide.
if [ "$mode" = write ]; then
	go test -vet=off -run '^TestGuides_tableOfRequests$' ./internal/deferred/proof -update >/dev/null
fi

# Generated beside the repository, so that a check leaves the work tree alone.
cp -R examples "$work/site/examples"
[ ! -d templates ] || cp -R templates "$work/site/templates"
go run ./internal/cmd/docs answers templates/guides/answers.md.tmpl >"$work/site/templates/guides/answers.md.tmpl"
quietly() {
	"$@" >"$work/docs.log" 2>&1 || {
		cat "$work/docs.log" >&2
		exit 1
	}
}
set -- --provider-dir="$work/site" --provider-name=terraform-provider-analytics --providers-schema="$work/schema.json"
quietly "$generator" generate --rendered-provider-name=analytics "$@"
quietly "$generator" validate "$@"

case $mode in
write)
	rm -rf docs
	cp -R "$work/site/docs" docs
	echo "docs/ is generated"
	;;
check)
	mkdir -p "$work/committed"
	[ ! -d docs ] || cp -R docs "$work/committed/docs"
	(cd "$work" && diff -ru committed/docs site/docs) || {
		echo "docs/ is not what the schema, examples/ and templates/ generate; run: make docs" >&2
		exit 1
	}
	echo "docs/ is up to date"

	# Lengths of descriptions, callouts, links, one page for figures, and the tests that a guide names.
	go test -vet=off -run '^Test(Docs|Guide|PersonalData|Examples_)' ./internal/testing/examples ./internal/deferred/proof
	;;
esac
