# Usage: LAKE=/mnt/lake sh -eu nightly.sh [-var from=2026-01-01 -var to=2026-01-31]
mkdir -p log
exec 9>log/lock
flock --nonblock 9 || { echo "another export is running" >&2; exit 75; }

log=log/$(date -u +%Y-%m-%dT%H%M%SZ).log
if ! terraform apply -auto-approve -input=false -no-color "$@" >"$log" 2>&1; then
  echo "the export failed, see $PWD/$log" >&2 # cron mails it; replace it by your alert
  exit 1
fi

# Records first, and the marker last: a day without _SUCCESS is not complete. Only the days of
# this run are copied: what you have erased from an earlier day of the lake stays erased.
terraform output -json manifest >log/manifest.json
for date in $(jq -r 'keys[]' log/manifest.json); do
  manifest=$LAKE/manifest/dt=$date
  mkdir -p "$manifest"
  rm -f "$manifest/_SUCCESS"
  rm -rf "$LAKE/unknown/dt=$date" # of a version that also exported records of an unknown kind
  for folder in lake/*/dt="$date"; do
    mkdir -p "$LAKE/${folder#lake/}"
    cp "$folder"/* "$LAKE/${folder#lake/}"
  done
  jq --arg date "$date" '.[$date]' log/manifest.json >"$manifest/manifest.json"
  touch "$manifest/_SUCCESS"
done
