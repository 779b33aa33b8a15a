# Usage: LAKE=/mnt/lake sh -eu nightly.sh [-var from=2026-01-01 -var to=2026-01-31]
mkdir -p log
exec 9>log/lock
flock --nonblock 9 || { echo "another export is running" >&2; exit 75; }

log=log/$(date -u +%Y-%m-%dT%H%M%SZ).log
if ! terraform apply -auto-approve -input=false -no-color "$@" >"$log" 2>&1; then
  echo "the export failed, see $PWD/$log" >&2 # cron mails it; replace it by your alert
  exit 1
fi

# Records first, and the markers last: a day without _SUCCESS is not complete. Each step can
# be repeated.
terraform output -json manifest >log/manifest.json
mkdir -p "$LAKE"
cp -R lake/. "$LAKE"
for date in $(jq -r 'keys[]' log/manifest.json); do
  mkdir -p "$LAKE/manifest/dt=$date"
  jq --arg date "$date" '.[$date]' log/manifest.json >"$LAKE/manifest/dt=$date/manifest.json"
  touch "$LAKE/manifest/dt=$date/_SUCCESS"
done
