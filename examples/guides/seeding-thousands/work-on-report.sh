# Why rows have failed, and how many
jq -r 'select(.outcome == "failed") | [.error, .status, .message] | @tsv' consents-report.ndjson | sort | uniq -c | sort -rn

# The rows that are still missing, as a CSV of their own
jq -r 'select(.outcome == "failed" or .outcome == "not_tried") | "\(.line)p"' consents-report.ndjson | sed -n -e 1p -f /dev/stdin consents.csv > missing.csv
