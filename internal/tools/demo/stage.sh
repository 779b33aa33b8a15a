# What the steps of the demo's story are made of. demo.sh reads this file.

cli=$TF_ACC_TERRAFORM_PATH
name=$(basename "$cli")
product=$("$cli" version | sed -n '1s/ v.*//p')
minor=$("$cli" version | sed -n '1s/^[^.]*\.\([0-9]*\)\..*/\1/p')
requests=$DEMO_FOLDER/requests
out=$DEMO_FOLDER/output
err=$DEMO_FOLDER/errors
step=0

# The CLI finds the provider in a folder, and no registry is asked.
target=$(go env GOOS)_$(go env GOARCH)
for host in registry.terraform.io registry.opentofu.org; do
	folder=$DEMO_FOLDER/mirror/$host/terraform-analytics/analytics/0.1.0/$target
	mkdir -p "$folder"
	cp "$provider" "$folder/terraform-provider-analytics_v0.1.0"
done
printf 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' "$DEMO_FOLDER/mirror" >"$DEMO_FOLDER/terraform.rc"
export TF_CLI_CONFIG_FILE="$DEMO_FOLDER/terraform.rc" TF_CLI_ARGS=-no-color TF_INPUT=0 TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1

# say TEXT, and quote: lines of at most 80 columns, but for a word that is longer.
say() { printf '%s\n' "$*" | fold -s -w 78 | sed 's/^/  /; s/ *$//'; }
quote() { sed 's/^/ | /'; }

fail() {
	printf '\nFAILED  step %s: %s\n\n' "$step" "$*"
	[ ! -s "$out" ] || quote <"$out"
	[ ! -s "$err" ] || quote <"$err"
	exit 1
}

# begin TITLE: the next step.
begin() {
	step=$((step + 1))
	printf '\n%d  %s\n' "$step" "$1"
	before=$(wc -l <"$requests")
}

# learn SENTENCE: what a reader learns from the step.
learn() {
	say "ok $1"
	received=$(tail -n "+$((before + 1))" "$requests" | cut -d' ' -f2 | sort | uniq -c | awk '{ printf "%s%d %s", sep, $1, $2; sep = ", " }')
	say "the service received ${received:-no request}"
}

# enter EXAMPLE [FILE ...]: goes to the folder of a configuration, with these files of it.
enter() {
	example=$1
	shift
	here=$DEMO_FOLDER/$example
	mkdir -p "$here"
	for file in "$@"; do cp "$repository/examples/$example/$file" "$here/"; done
	say "\$ cd $example"
}

# add EXAMPLE FILE: takes one more file into the configuration and shows it.
add() {
	cp "$repository/examples/$1/$2" "$here/"
	say "Added to the configuration, $2:"
	quote <"$here/$2"
}

# run STATUS ARGUMENT ...: a command of the CLI that has to end with this status.
run() {
	want=$1
	shift
	say "\$ $name $*"
	got=0
	(cd "$here" && "$cli" "$@") >"$out" 2>"$err" || got=$?
	[ "$got" = "$want" ] || fail "$name $1 ended with status $got, not with $want"
	! grep -qF "$ANALYTICS_API_SECRET_KEY" "$out" "$err" || fail "$name printed a credential"
}

tf() { run 0 "$@"; }
plan() { run 2 plan -detailed-exitcode -out=planned "$@"; }
apply() { tf apply planned && show '^Apply complete!'; }
destroy() { tf destroy -auto-approve && show '^Destroy complete!'; }
empty_plan() { tf plan -detailed-exitcode && show '^No changes\.'; }

# show PATTERN ...: the lines of the last output that match; each pattern has to match one.
show() {
	for pattern in "$@"; do
		grep -E "$pattern" "$out" >"$DEMO_FOLDER/shown" || fail "no line matches $pattern"
		sed 's/^ *//' "$DEMO_FOLDER/shown" | quote
	done
}

# warned SUMMARY: the warning with this summary, up to the end of its first paragraph.
warned() {
	awk -v summary="Warning: $1" '$0 == summary { on = 1 } on && NF { print } on && /^[^ W]/ { text = 1 } on && text && !NF { exit }' "$out" >"$DEMO_FOLDER/shown"
	[ -s "$DEMO_FOLDER/shown" ] || fail "there is no warning: $1"
	quote <"$DEMO_FOLDER/shown"
}

# received COUNT OPERATION ...: how many of these requests the service has had in this step.
received() {
	want=$1
	shift
	got=$(tail -n "+$((before + 1))" "$requests" | grep -cE "^[0-9]+ ($(echo "$*" | tr ' ' '|')) " || true)
	[ "$got" = "$want" ] || fail "the service received $got requests of $*, not $want"
}

writes='updateConsent updateProfile'

# stored TEXT, unstored TEXT: the state has it, or must not have it.
stored() { grep -qF "$1" "$here/terraform.tfstate" || fail "the state lacks $1"; }
unstored() { ! grep -qF "$1" "$here/terraform.tfstate" || fail "the state contains $1"; }

# ask PERSON ABOUT [CURL ARGUMENT ...]: what the service answers; nothing to a 404.
ask() {
	person=$(echo "$1" | sed 's/@/%40/')
	about=$2
	shift 2
	# The address has the secret key, so that it is not an argument.
	printf 'url = "%s/v1/org/%s/project/%s/compliance/user/%s/%s?apiSecretToken=%s"\n' "$ANALYTICS_BASE_URL" "$ANALYTICS_ORG_ID" \
		"$ANALYTICS_PROJECT_ID" "$person" "$about" "$ANALYTICS_API_SECRET_KEY" | curl -sf -K - "$@" || true
}

# consent PERSON CLAUSES: the clauses that the person agrees to, such as "1 3".
consent() {
	agreed=$(ask "$1" consent | grep -oE '"clause_._consent":true' | grep -oE '[0-9]' | sort | tr '\n' ' ' | sed 's/ $//')
	say "$1 agrees to clauses: ${agreed:-none}"
	[ "$agreed" = "$2" ] || fail "the service should hold clauses $2 of $1"
}

# profile PERSON TEXT: what the service holds of the person's profile.
profile() {
	held=$(ask "$1" profile)
	say "$1 has the profile: $(echo "${held:-none}" | sed 's/,"/, "/g')"
	[ "$held" = "$2" ] || fail "the service should hold $2"
}

# has MINOR: whether this is version 1.MINOR; has_terraform is for what OpenTofu lacks.
has() { [ "$minor" -ge "$1" ] || { say "Skipped: this needs version 1.$1." && return 1; }; }
has_terraform() { { [ "$product" = Terraform ] && [ "$minor" -ge "$1" ]; } || { say "Skipped: this needs Terraform 1.$1." && return 1; }; }

# digest FILE is its SHA-256, and short DIGEST the beginning, which fits into a line.
short() { echo "$1" | cut -c1-12; }
digest() { { sha256sum "$1" 2>/dev/null || shasum -a 256 "$1"; } | cut -d' ' -f1; }
