# What the recording shows: consent as code, and a later choice that stands. A command is typed
# as a person would; what is run prints the lines of it that matter, for 44 columns.
type_out() {
	printf '\033[1;32m$\033[0m '
	for ((i = 0; i < ${#1}; i++)); do
		printf '%s' "${1:i:1}"
		sleep 0.03
	done
	printf '\n'
}

run() {
	type_out "$1"
	eval "$2" 2>&1
	sleep 3
	printf '\n'
}

clear
run "cat main.tf" "sed -n '/resource/,/}/p' main.tf"
clear
run 'terraform apply' 'terraform apply -no-color -auto-approve | grep -e complete | fold -s -w 43'
run '# Later, Ada withdraws her consent.' "curl -s -o /dev/null -X PATCH \"\$ANALYTICS_BASE_URL/v1/org/\$ANALYTICS_ORG_ID/project/\$ANALYTICS_PROJECT_ID/compliance/user/ada%40example.com/consent?apiSecretToken=\$ANALYTICS_API_SECRET_KEY\" -H 'Content-Type: application/json' -d '{\"clause_1_consent\":false,\"clause_2_consent\":false,\"clause_3_consent\":false,\"clause_4_consent\":false,\"clause_5_consent\":false,\"agreement_time\":\"2026-03-01T12:00:00Z\",\"manual\":false}'"
run 'terraform plan' 'terraform plan -no-color | sed -n -e "s/^[│ ]*//" -e "/later choice/,/Nothing is written/p" -e "/No changes/p" | grep -v -e "^with" -e "^on main" -e "^[0-9]*: res" -e "^$" | fold -s -w 43'
sleep 5
printf "\033[0m " # so that the recording ends after the pause
