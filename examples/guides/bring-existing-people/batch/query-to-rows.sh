umask 077 # the files hold personal data
terraform query -json > query.ndjson
jq -c 'select(.type == "list_resource_found") | .list_resource_found.resource_object
  | {identity_id, clause_1_consent, clause_2_consent, clause_3_consent, clause_4_consent, clause_5_consent, agreement_time, manual}
  | with_entries(select(.value != null))' query.ndjson > people.ndjson
