#!/usr/bin/env bash
# Prints what the provider costs beside the alternatives, as tables: the real provider under a
# real Terraform, against the mock server in a process of its own. Nothing is left behind.
#
# usage: internal/tools/bench/bench.sh PROVIDER       with the CLI in TF_ACC_TERRAFORM_PATH
#
# These variables say what is measured:
#   ONLY       exports or seeding, in place of both
#   RECORDS    how many events the exported day has
#   BEFORE     a program of another version of the provider, which exports the day in turn with this one
#   PEOPLE     how many people are seeded, with blanks between
#   SINGLES    how many people have a resource each at most, nearly all of whose time is Terraform's own
#   LATENCIES  how long the service takes for an answer while people are seeded, with blanks between
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
parallelism=16
project=v1/org/org-bench/project/web

# place PROGRAM NAME: puts a provider into a mirror of its own, and names it in NAME.rc.
place() {
	local host target
	mkdir "$BENCH/$2"
	cp "$1" "$BENCH/$2/program"
	for host in registry.terraform.io registry.opentofu.org; do
		target=$BENCH/$2/$host/terraform-analytics/analytics/0.1.0/$(go env GOOS)_$(go env GOARCH)
		mkdir -p "$target"
		ln "$BENCH/$2/program" "$target/terraform-provider-analytics_v0.1.0"
	done
	printf 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' "$BENCH/$2" >"$BENCH/$2.rc"
}

# peaks writes the highest memory of the provider so far, in kB, again and again. Only Linux reports it.
peaks() {
	while sleep 0.05; do
		for process in /proc/[0-9]*; do
			for program in "$BENCH"/provider*/program; do
				[ ! "$process/exe" -ef "$program" ] || sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "$process/status" 2>/dev/null || true
			done
		done
	done >"$BENCH/peaks"
}

# measure COMMAND ...: runs it, and sets cost to its seconds, its CPU seconds and the provider's memory.
measure() {
	peaks &
	local sampler=$! TIMEFORMAT='%R %U %S'
	{ time "$@" >"$BENCH/output" 2>&1; } 2>"$BENCH/time" || {
		cat "$BENCH/output" >&2
		return 1
	}
	kill "$sampler"
	wait "$sampler" 2>/dev/null || true
	cost=$(awk -v peak="$(sort -n "$BENCH/peaks" | tail -n 1)" '{ print $1 "\t" $2 + $3 "\t" peak }' "$BENCH/time")
}

# enter CONFIGURATION: a new folder with it, ready for the provider that TF_CLI_CONFIG_FILE names.
enter() {
	cd "$(mktemp -d "$BENCH/run.XXXX")"
	cp "$tools/$1.tf" .
	"$TF_ACC_TERRAFORM_PATH" init >"$BENCH/output" || {
		cat "$BENCH/output" >&2
		return 1
	}
}

# export_day WAY: exports the day in one way, prints its cost and the bytes of the file, and removes that.
export_day() {
	local day=2026-03-01 compression=none folder=
	case $1 in *", before") folder=.before ;; esac
	case $1 in *gzip) compression=gzip ;; *zstd) compression=zstd ;; "a day"*) day=2026-03-02 ;; esac
	cd "$BENCH/exports$folder"
	sync # what the way before has written: curl leaves that to the system

	local address="$ANALYTICS_BASE_URL/$project/export?utcDate=$day&apiSecretToken=bench-key"
	case $1 in
	"curl -o") measure curl -sSf "$address" -o day ;;
	*) TF_CLI_CONFIG_FILE=$BENCH/provider$folder.rc measure "$TF_ACC_TERRAFORM_PATH" apply -auto-approve -var "day=$day" -var "compression=$compression" ;;
	esac
	printf '%s\t%s\t%s\t%d\n' "$1" "$SHAPE" "$cost" "$(wc -c <day)"
	rm -rf day terraform.tfstate
}

# exports prints the costs of a shape. Each round has every way, in the other order in each second
# round, so that a slow moment of the machine, and what comes before, meet them alike.
exports() {
	local round way ways=("curl -o" "a day without records" analytics_export_file)
	[ "$SHAPE" != object ] || ways+=("analytics_export_file, gzip" "analytics_export_file, zstd")
	[ -z "${BEFORE:-}" ] || ways+=("a day without records, before" "analytics_export_file, before")
	for folder in "" ${BEFORE:+.before}; do
		(export TF_CLI_CONFIG_FILE="$BENCH/provider$folder.rc" && enter export && rm -rf "$BENCH/exports$folder" && mv "$PWD" "$BENCH/exports$folder")
	done

	for round in 0 1 2 3 4 5; do # the first one does not count
		echo "  $RECORDS events as $SHAPE, round $round of 5" >&2
		for ((i = 0; i < ${#ways[@]}; i++)); do
			way=${ways[round % 2 ? i : ${#ways[@]} - 1 - i]}
			export_day "$way" | awk -v round="$round" 'round > 0 { print round "\t" $0 }'
		done
	done
}

# received prints how many requests of an operation the service has had since the line $since of its log.
received() { tail -n "+$((since + 1))" "$REQUESTS" | awk -v operation="$1" '$2 ~ operation { n++ } END { print n + 0 }'; }

# people COUNT: a file of people.
people() {
	echo identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,user_ipv6,agreement_time
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "user-%06d@example.com,true,true,%s,%s,false,2001:db8::%x,2026-02-01T%02d:%02d:%02dZ\n",
		i, i % 2 ? "false" : "true", i % 3 ? "false" : "true", i % 65536, i / 3600 % 24, i / 60 % 60, i % 60 }'
}

# ask COUNT [CURL ARGUMENT ...]: sends one request about each person with curl, and adds its time to curled. With --parallel,
# --silent still shows the progress, which would stand in front of a status.
ask() {
	local count=$1
	shift
	measure curl --disable --noproxy '*' --stderr "$BENCH/progress" --parallel --parallel-max $parallelism --output /dev/null --write-out '%{http_code}\n' "$@" \
		"$ANALYTICS_BASE_URL/$project/compliance/user/user-[000000-$(printf %06d $((count - 1)))]%40example.com/consent?apiSecretToken=$ANALYTICS_API_SECRET_KEY"
	[ "$(grep -c '^200' "$BENCH/output")" = "$count" ] || { echo "the mock server did not answer all of curl's requests" >&2 && return 1; }
	curled=$(echo "$curled $cost" | awk '{ print $1 + $2 }')
}

# seed WAY COUNT: a plan, its apply, a plan that has to be empty, and the requests of the apply by curl.
seed() {
	local count=$2 planned applied again sent
	enter "$1"
	people "$count" >people.csv
	measure "$TF_ACC_TERRAFORM_PATH" plan -parallelism=$parallelism -out=planned
	planned=$cost
	since=$(wc -l <"$REQUESTS")
	measure "$TF_ACC_TERRAFORM_PATH" apply -parallelism=$parallelism planned
	applied=$cost sent="$(received .)" read=$(received getConsent) written=$(received updateConsent)
	since=$(wc -l <"$REQUESTS")
	measure "$TF_ACC_TERRAFORM_PATH" plan -parallelism=$parallelism -detailed-exitcode
	again=$cost sent="$sent	$(received .)"

	# The apply has written everybody, so that the service knows them all.
	curled=0
	for ((; read >= count; read -= count)); do ask "$count"; done
	[ "$written" = 0 ] || ask "$count" --request PATCH --header 'Content-Type: application/json' --data \
		'{"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":false,"clause_5_consent":false}'
	printf '%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n' "$1" "$count" "$LATENCY" "$planned" "$applied" "$again" "$curled" "$sent" "$(wc -c <terraform.tfstate)"
}

# seeding prints the costs of everything that does not take long and show nothing new.
seeding() {
	local latency count way
	for latency in $LATENCIES; do
		for count in $PEOPLE; do
			for way in analytics_consent_batch analytics_consent terraform_data; do
				local rounds=1
				case $way:$latency in
				analytics_consent_batch:0s) rounds=3 ;; # a short apply varies more than its distance from curl
				terraform_data:0s) ;;
				terraform_data:*) continue ;;
				esac
				[ $way = analytics_consent_batch ] || [ "$count" -le "$SINGLES" ] || continue
				for ((; rounds > 0; rounds--)); do
					echo "  $count people as $way, latency $latency" >&2
					REQUESTS=$(mktemp "$BENCH/requests.XXXX") LATENCY=$latency below -latency "$latency" seed $way "$count"
				done
			done
		done
	done
}

# below [FLAG ...] FUNCTION [ARGUMENT ...]: calls a function of this file below a mock server of its own.
below() {
	local flags=(-log "$REQUESTS")
	for (( ; ; )); do
		case $1 in -*) flags+=("$1" "$2") && shift 2 ;; *) break ;; esac
	done
	"$PROVIDER" mockserver "${flags[@]}" -- "$0" "$@"
}

case ${BENCH:+${1:-}} in
exports | seed)
	export ANALYTICS_ORG_ID=org-bench ANALYTICS_PROJECT_ID=web
	"$@"
	exit
	;;
esac

export PROVIDER=$1 RECORDS=${RECORDS:-1000000} TF_CLI_ARGS=-no-color
BENCH=$(mktemp -d)
trap 'rm -rf "$BENCH"' EXIT
trap 'exit 130' INT TERM HUP
export BENCH TF_CLI_CONFIG_FILE=$BENCH/provider.rc SHAPE REQUESTS LATENCY
PEOPLE=${PEOPLE:-500 5000} SINGLES=${SINGLES:-500} LATENCIES=${LATENCIES:-0s 20ms}
place "$PROVIDER" provider
[ -z "${BEFORE:-}" ] || place "$BEFORE" provider.before
"$TF_ACC_TERRAFORM_PATH" version | sed -n 1p

if [ "${ONLY:-exports}" = exports ]; then
	echo '{"secret_keys":["bench-key"],"exports":[{"org_id":"org-bench","project_id":"web","utc_date":"2026-03-02"}]}' >"$BENCH/seed.json"
	for SHAPE in object array ndjson; do
		REQUESTS=/dev/null below -seed "$BENCH/seed.json" -export-records "$RECORDS" -export-shape "$SHAPE" exports
	done >"$BENCH/exports.tsv"
	awk -f "$tools/exports.awk" "$BENCH/exports.tsv"
fi
if [ "${ONLY:-seeding}" = seeding ]; then
	seeding >"$BENCH/seeding.tsv"
	awk -f "$tools/seeding.awk" "$BENCH/seeding.tsv"
fi
