#!/bin/sh
# Runs all tests once at the sizes of real use, and then random schedules until the time is
# over. A test that fails prints the seed that repeats it; what the tests counted is added up.
#
# usage: internal/tools/soak.sh MINUTES PACKAGES [FLAG OF GO TEST ...]
set -u
end=$(($(date +%s) + $1 * 60))
packages=$2
shift 2

# The sockets of plugins lie in the tests' folders, and their paths must be short.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/sXXXX")
kept=$PWD/.bin/soak
rm -rf "$kept" && mkdir -p "$kept"
export TMPDIR SOAK=1 TF_ACC=1 SOAK_FIGURES="$kept/figures"
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM HUP

failed=0
round() {
	if ! go test -vet=off -count=1 -shuffle=on -parallel 8 -timeout 3h "$@" >"$kept/output" 2>&1; then
		failed=$((failed + 1))
		mv "$kept/output" "$kept/failed-$failed.txt"
		grep -E '^ *--- FAIL|seed|^FAIL' "$kept/failed-$failed.txt"
	fi
}

echo "all tests at their large sizes"
SOAK_SCHEDULES=4 round "$@" "$packages"

seed=${SOAK_SEED:-$(date +%s)}
rounds=0
while [ "$(date +%s)" -lt "$end" ]; do
	echo "random schedules from seed $seed"
	SOAK_SEED=$seed SOAK_SCHEDULES=200 round -run '[rR]andom|_property|_any|livesUnder' "$@" "$packages"
	seed=$((seed + 200))
	rounds=$((rounds + 1))
done

echo
awk '{ sum[$1] += $2 } END { for (name in sum) printf "%-12s %d\n", name, sum[name] }' "$kept/figures" | sort
printf '%-12s %d\n' rounds "$rounds" failed "$failed" "files left" "$(find "$TMPDIR" -type f | wc -l)"
exit $((failed > 0))
