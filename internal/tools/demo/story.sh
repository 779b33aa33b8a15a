# The story of the demo, step by step. demo.sh reads this file.

echo "Consent as code: $("$cli" version | sed -n 1p) and the provider, against a mock server"

begin "Init"
enter quickstart main.tf
tf init
show 'Installed terraform-analytics/analytics v0.1.0' 'successfully initialized'
learn "The provider was built here and comes from a folder; no registry was asked."

begin "Plan: three people's consent as code"
plan
show 'will be created$' '^Plan: 3 to add, 0 to change, 0 to destroy'
received 0 $writes
learn "A plan writes nothing."

begin "Apply"
apply
show '^agreed_to_'
received 3 $writes
consent ada@example.com "1 2 3 4 5"
consent user-1001 "1 2 3"
consent user-1002 "1"
learn "One write for each person, and the service holds exactly what was planned."

begin "Plan again"
empty_plan
received 3 getConsent
received 0 $writes
learn "What was written is read back as it was written, so there is nothing to do."

begin "Two changes behind Terraform's back"
say "An operator's script sets clause 2 of user-1001 to false."
ask user-1001 consent | sed 's/"clause_2_consent":true/"clause_2_consent":false/' >"$DEMO_FOLDER/changed"
ask user-1001 consent -X PATCH -H 'Content-Type: application/json' --data "@$DEMO_FOLDER/changed" >"$DEMO_FOLDER/answer"
say "Twenty days after the agreement in the code, ada@example.com changes clauses 4 and 5 herself."
ask ada@example.com consent | sed 's/"clause_\([45]\)_consent":true/"clause_\1_consent":false/g; s/2026-02-01T/2026-02-21T/' >"$DEMO_FOLDER/changed"
ask ada@example.com consent -X PATCH -H 'Content-Type: application/json' --data "@$DEMO_FOLDER/changed" >"$DEMO_FOLDER/answer"
before=$(wc -l <"$requests")
plan
show 'user-1001.*will be updated' 'clause_2_consent' '^Plan: 0 to add, 1 to change, 0 to destroy'
warned "A later choice of the person stands"
received 0 $writes
learn "The operator's change is drift and will be repaired. The person's later choice is hers: it stands."

begin "Apply: repair the drift, respect the choice"
apply
received 1 $writes
consent user-1001 "1 2 3"
consent ada@example.com "1 2 3"
empty_plan
learn "One write. Code and service agree again, and nobody was overruled."

begin "Import a person whom the service knew before"
add guides/consent-as-code existing.tf
plan
show 'will be imported' '^Plan: 1 to import, 0 to add, 0 to change, 0 to destroy'
apply
empty_plan
received 0 $writes
learn "Her record is imported as it is, without a write."

begin "Find people at the service"
if has_terraform 14; then
	add list-resources/analytics_consent list-resource.tfquery.hcl
	tf query
	show '^list\.analytics_consent\.team '
	received 0 $writes
	learn "A query looked up the people of a day and of a list, and wrote nothing. It can also write the configuration that imports them."
fi

begin "Another configuration: a person's profile is corrected"
enter data-rights main.tf
tf init
add data-rights profile.tf
profile ada@example.com '{"department":"crosswords","locale":"en","newsletter":true,"plan":"free","seats":3}'
plan
apply
received 1 $writes
profile ada@example.com '{"department":"crosswords","locale":"en","newsletter":false,"plan":"gold","seats":3}'
empty_plan
learn "The service queued the update, and the apply waited. Only the configured members were sent; the others are as before."

begin "One member of it goes to another person"
if has 11; then
	add ephemeral-resources/analytics_profile ephemeral-resource.tf
	plan
	apply
	received 1 $writes
	profile jane@example.com '{"department":"crosswords"}'
	unstored crosswords
	empty_plan
	learn "An ephemeral resource read the profile, and a write-only attribute sent the member. State does not have it."
fi

begin "The person asks for her data"
add data-rights access.tf
plan
apply
say "ada.json: $(ls -l "$here/ada.json" | cut -c1-10), $(wc -c <"$here/ada.json") bytes, sha256 $(short "$(digest "$here/ada.json")")…"
case $(ls -l "$here/ada.json") in -rw-------*) ;; *) fail "others can read ada.json" ;; esac
stored "$(digest "$here/ada.json")"
unstored "asked for a hint" # an event of the seed
empty_plan
learn "The data was requested once and written where only its owner can read it. State has the digest; her sessions and events are in the file only."

begin "Clear two members of a profile, with an action"
if has_terraform 14; then
	add actions/analytics_clear_profile action.tf
	add actions/analytics_clear_profile terraform.tfvars
	tf apply -auto-approve -invoke=action.analytics_clear_profile.contact
	show 'Actions: 1 invoked'
	received 1 $writes
	profile user-1001 '{"locale":"de","plan":"free"}'
	unstored user-1001
	learn "An action acts when it is invoked. It leaves nothing in state, and a sensitive variable keeps the person off the screen."
fi

begin "Another person asks to be deleted: plan"
add data-rights deletion.tf
plan -var=wait_for_deletion=false
show 'will be created$' '^Plan: 1 to add, 0 to change, 0 to destroy'
warned "Deleting all data of a person is irreversible"
received 0 $writes deleteAllData
learn "The plan warns that a deletion cannot be undone, and sends nothing."

begin "Apply, without waiting"
apply
show '^pending_deletions = 1$'
received 1 deleteAllData
learn "The service accepted one deletion, which is pending."

begin "Wait for the same deletion"
tf apply -auto-approve
show '^Apply complete!' '^pending_deletions = 0$'
received 0 deleteAllData
profile user-1001 ""
consent user-1001 "1 2 3"
empty_plan
learn "Nothing was sent again. The data is gone, and the consent is still there: deleting does not revoke it."

begin "Another configuration: yesterday, in a plan"
enter nightly-export main.tf
tf init
plan
show 'will be created$' '^Plan: 1 to add' '\+ persons += 20$'
received 1 exportRecords
learn "A data source exports the day during the plan, here to count its persons."

begin "Yesterday, in three files"
apply
received 1 exportRecords
for kind in persons sessions events; do
	file=$here/yesterday/$kind.ndjson.gz
	say "yesterday/$kind.ndjson.gz: $(gzip -dc "$file" | wc -l) lines, sha256 $(short "$(digest "$file")")…"
	stored "$(digest "$file")"
done
[ "$(gzip -dc "$file" | grep -c '"id":"event-')" -eq 2000 ] || fail "the day has 2000 events"
unstored event- # is in every event
empty_plan
learn "One request, one file for each kind. State has digests and counts of the files, and no event."

begin "A week, one file a day"
if has 8; then
	add functions/utc_dates function.tf
	plan
	show 'day\[.*will be created$' '^Plan: 7 to add, 0 to change, 0 to destroy'
	apply
	empty_plan
	received 9 exportRecords # the data source reads yesterday in both plans
	learn "A function of the provider gave the days. Yesterday's files were exported already, and were not exported again."
fi

begin "Destroy the exports"
destroy
[ -z "$(find "$here/yesterday" -type f 2>/dev/null)" ] || fail "files are left"
learn "The files are gone with the resources that wrote them."

# people CLAUSE: a file of a thousand people, in which one agrees to clause 1 or not.
people() {
	awk -v seventh="$1" 'BEGIN {
		print "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time,user_ipv6"
		for (i = 0; i < 1000; i++)
			printf "user-%04d,%s,%s,%s,false,false,2026-01-15T09:30:00Z,2001:db8::%x\n", i, i == 7 ? seventh : "true", i % 2 ? "false" : "true", i % 3 ? "false" : "true", i + 1
	}' >"$here/consents.csv"
}

begin "A thousand people from one file"
enter seeding main.tf
people true
tf init
say "consents.csv has 1000 rows; requests_per_second is 360, and TF_LOG_PROVIDER=INFO tells how it goes."
export ANALYTICS_REQUESTS_PER_SECOND=360 TF_LOG_PROVIDER=INFO
tf apply -auto-approve
show '^Apply complete!'
grep -o 'Consent batch under way' "$err" | sort -u | quote
grep -q 'Consent batch under way' "$err" || fail "the log has nothing on the progress"
received 1000 $writes
unstored user-00
unstored 2001:db8
say "Terraform's state has $(wc -c <"$here/terraform.tfstate") bytes, for all of them."
unset ANALYTICS_REQUESTS_PER_SECOND TF_LOG_PROVIDER
learn "One resource, bounded requests, progress in the log, and nobody in state."

begin "One row changes"
people false
tf apply -auto-approve
received 1 $writes
empty_plan
destroy
learn "Everybody is compared, one row is written."

begin "Destroy the first two"
enter data-rights
destroy
received 0 $writes deleteAllData
enter quickstart
destroy
received 1 $writes
say "What the service holds now:"
consent user-1001 "1 2 3"
consent user-1002 ""
consent ada@example.com "1 2 3"
consent grace@example.com "1 2"
tf state list
[ ! -s "$out" ] || fail "the state still has resources"
learn "One consent was withdrawn, because its configuration says so. Everything else was only removed from state."

begin "Another service, which differs: the first day"
say "\$ terraform-provider-analytics doctor -rehearse"
got=0
"$provider" mockserver -seed "$tools/seed.json" -export-records 200 -log "$DEMO_FOLDER/other" \
	-fulfilment-delay 2s -wire '{"consent":{"parameters_in":"form","time_format":"unix_ms"},"export":{"kind_parameter":"kind"}}' \
	-form consent-json-api,profile-data,pending-requests \
	-- "$provider" doctor -rehearse >"$out" 2>"$err" || got=$?
[ "$got" = 1 ] || fail "doctor ended with status $got instead of 1, which says that the service differs"
quote <"$out"
for pattern in 'time_format += "unix_ms"' 'parameters_in += "form"' 'kind_parameter += "kind"' 'at = "/data"' 'ok +left +of$' '^ +doctor-[a-z0-9]+@example.invalid'; do
	grep -qE "$pattern" "$out" || fail "no line matches $pattern"
done
requests=$DEMO_FOLDER/other before=0
learn "The provider found out which settings the service needs, with a person whom it invented and deleted."

echo
echo "All steps went as they should, and nothing is left behind."
echo "The configurations are in examples/, the documentation in docs/."
