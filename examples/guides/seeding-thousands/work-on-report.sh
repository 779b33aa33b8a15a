# List the causes of failed rows, with the number of rows
jq -r 'select(.outcome == "failed") | [.error, .status, .message] | @tsv' consents-report.ndjson | sort | uniq -c | sort -rn

# Write the rows that are still missing to a new CSV file
jq -r 'select(.outcome == "failed" or .outcome == "not_tried") | "\(.line)p"' consents-report.ndjson | sed -n -e 1p -f /dev/stdin consents.csv > missing.csv
