package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// The people of the first two configurations, and what happens to each.
const (
	drifting    = "user-1001"         // an operator's script changes this consent; later the person's data is deleted
	withdrawing = "user-1002"         // on_destroy = "withdraw"
	choosing    = "ada@example.com"   // makes a new choice of her own; later asks for a correction and for her data
	existing    = "grace@example.com" // known to the service before Terraform is
	succeeding  = "jane@example.com"  // takes over a member of another person's profile
)

// The configurations, as folders of examples/, and the objects that are warned about.
const (
	quickstart    = "quickstart"
	dataRights    = "data-rights"
	nightlyExport = "nightly-export"
	seeding       = "seeding"

	accessAddress   = "analytics_data_access_request.ada"
	deletionAddress = "analytics_data_deletion.user_1001"
	batchAddress    = "analytics_consent_batch.people"
	clearAddress    = "action.analytics_clear_profile.contact"
)

// fulfilmentDelay is how long the mock server takes for a deferred request: long enough
// for the request to be seen pending.
const fulfilmentDelay = 2 * time.Second

// seed is what the service knows before the demo begins.
//
//go:embed seed.json
var seed []byte

// story is the demo: each step's actions check what its meaning says.
var story = []step{
	{"Init", "The provider was built here and comes from a folder; no registry was asked.", []action{
		terraform("init"),
		show(`Installed `+terraformcli.Source+` v`+terraformcli.ProviderVersion, `successfully initialized`),
		received(0, reads),
	}},
	{"Plan: three people's consent as code", "A plan writes nothing.", []action{
		plan("create"),
		show(`will be created$`, `^Plan: 3 to add, 0 to change, 0 to destroy`),
		received(0, writes),
	}},
	{"Apply", "One write for each person, and the service holds exactly what was planned.", []action{
		apply("create"),
		show(`^agreed_to_`),
		received(3, writes),
		holds(consentOf(choosing), "agrees to clauses 1, 2, 3, 4 and 5"),
		holds(consentOf(drifting), "agrees to clauses 1, 2 and 3"),
		holds(consentOf(withdrawing), "agrees to clause 1"),
	}},
	{"Plan again", "What was written is read back as it was written, so there is nothing to do.", []action{
		emptyPlan("again"),
		received(3, reads),
		received(0, writes),
	}},
	{"Two changes behind Terraform's back", "The operator's change is drift and will be repaired. The person's later choice is hers: it stands.", []action{
		say("An operator's script sets clause 2 of user-1001 to false."),
		change(drifting, record{"clause_2_consent": false}),
		say("Twenty days after the agreement in the code, ada@example.com changes clauses 4 and 5 herself."),
		change(choosing, record{"clause_4_consent": false, "clause_5_consent": false, "agreement_time": "2026-02-21T08:00:00Z", "manual": false}),
		plan("repair"),
		showBetween("# "+address(drifting)+" will be updated", "Plan: 0 to add, 1 to change, 0 to destroy."),
		warned(address(choosing), 2),
		received(0, writes),
	}},
	{"Apply: repair the drift, respect the choice", "One write. Code and service agree again, and nobody was overruled.", []action{
		apply("repair"),
		received(1, writes),
		holds(consentOf(drifting), "agrees to clauses 1, 2 and 3"),
		holds(consentOf(choosing), "agrees to clauses 1, 2 and 3"),
		emptyPlan("repaired"),
		warned(address(choosing), 0),
	}},
	{"Import a person whom the service knew before", "Her record is imported as it is, without a write.", []action{
		add("guides/consent-as-code", "existing.tf"),
		plan("import"),
		show(`will be imported`, `^Plan: 1 to import, 0 to add, 0 to change, 0 to destroy`),
		apply("import"),
		emptyPlan("imported"),
		received(0, writes),
	}},
	{"Find people at the service", "A query looked up the people of a day and of a list, and wrote nothing. It can also write the configuration that imports them.", []action{
		needsTerraform(14),
		add("list-resources/analytics_consent", "list-resource.tfquery.hcl"),
		terraform("query"),
		show(`^list\.analytics_consent\.team `),
		received(0, writes),
	}},
	{"Another configuration: a person's profile is corrected", "The service queued the update, and the apply waited. Only the configured members were sent; the others are as before.", []action{
		enter(dataRights, "main.tf"),
		terraform("init"),
		add(dataRights, "profile.tf"),
		holds(profileOf(choosing), `department: "crosswords", locale: "en", newsletter: true, plan: "free", seats: 3`),
		planOne("profile"),
		apply("profile"),
		accepted(1, writes),
		sent(writes, "newsletter", "plan"),
		holds(profileOf(choosing), `department: "crosswords", locale: "en", newsletter: false, plan: "gold", seats: 3`),
		emptyPlan("corrected"),
	}},
	{"One member of it goes to another person", "An ephemeral resource read the profile, and a write-only attribute sent the member. State does not have it.", []action{
		needs(11),
		add("ephemeral-resources/analytics_profile", "ephemeral-resource.tf"),
		planOne("successor"),
		apply("successor"),
		show(`ephemeral\.analytics_profile\.ada: Clos(ing|e) complete`),
		received(1, writes),
		holds(profileOf(succeeding), `department: "crosswords"`),
		expectNotStored("crosswords"),
		emptyPlan("succeeded"),
	}},
	{"The person asks for her data", "The data was requested once and written where only its owner can read it. State has the digest.", []action{
		add(dataRights, "access.tf"),
		planOne("access"),
		apply("access"),
		accepted(1, dataRequests),
		inspectAccess,
		expectNotStored("asked for a hint"), // is in seed.json
		say("Terraform's state has that digest; her sessions and events are in the file only."),
		emptyPlan("handed-out"),
	}},
	{"Clear two members of a profile, with an action", "An action acts when it is invoked. It leaves nothing in state, and a sensitive variable keeps the person off the screen.", []action{
		needsTerraform(14),
		add("actions/analytics_clear_profile", "action.tf"),
		add("actions/analytics_clear_profile", "terraform.tfvars"),
		holds(profileOf(drifting), `locale: "de", name: "Max", phone: "+44 20 7946 0000", plan: "free"`),
		terraform("apply", "-auto-approve", "-invoke="+clearAddress),
		show(`^Action `+regexp.QuoteMeta(clearAddress), `Actions: 1 invoked`),
		received(1, writes),
		sent(writes, "name", "phone"),
		holds(profileOf(drifting), `locale: "de", plan: "free"`),
		expectNotStored(drifting),
	}},
	{"Another person asks to be deleted: plan", "The plan warns that a deletion cannot be undone, and sends nothing.", []action{
		add(dataRights, "deletion.tf"),
		plan("deletion", "-var=wait_for_deletion=false"),
		show(`will be created$`, `^Plan: 1 to add, 0 to change, 0 to destroy`),
		warned(deletionAddress, 3),
		received(0, writes),
		received(0, deletions),
	}},
	{"Apply, without waiting", "The service accepted one deletion, which is pending.", []action{
		apply("deletion"),
		show(`^pending_deletions = 1$`),
		accepted(1, deletions),
	}},
	{"Wait for the same deletion", "Nothing was sent again. The data is gone, and the consent is still there: deleting does not revoke it.", []action{
		terraform("apply", "-auto-approve"),
		show(`^Apply complete!`, `^pending_deletions = 0$`),
		received(0, deletions),
		holds(profileOf(drifting), "has no profile any more"),
		holds(consentOf(drifting), "agrees to clauses 1, 2 and 3"),
		emptyPlan("deleted"),
	}},
	{"Another configuration: yesterday, in a plan", "A data source exports the day during the plan, here to count its persons.", []action{
		enter(nightlyExport, "main.tf"),
		terraform("init"),
		plan("night"),
		show(`will be created$`, `^Plan: 1 to add`, `\+ persons += 20$`),
		received(1, exports),
	}},
	{"Yesterday, in three files", "One request, one file for each kind, and one of them read back. State has digests and counts, and no record.", []action{
		apply("night"),
		received(1, exports),
		inspectExports,
		expectNotStored("button.clicked"), // is in every event
		emptyPlan("exported"),
	}},
	{"A week, one file a day", "A function of the provider gave the days. Yesterday's files were exported already, and were not exported again.", []action{
		needs(8),
		add("functions/utc_dates", "function.tf"),
		plan("week"),
		show(`day\[.*will be created$`, `^Plan: 7 to add, 0 to change, 0 to destroy`),
		apply("week"),
		emptyPlan("week-exported"),
		received(7+2, exports), // the data source reads yesterday in both plans
	}},
	{"Destroy the exports", "The files are gone with the resources that wrote them.", []action{
		destroy,
		show(`^Destroy complete!`),
		expectNoExports,
	}},
	{"A thousand people from one file", "One object, bounded requests, progress in the log, and nobody in state.", []action{
		enter(seeding, "main.tf"),
		writePeople,
		terraform("init"),
		terraform("apply", "-auto-approve"),
		show(`^Apply complete!`),
		showProgress,
		received(seededPeople, writes),
		expectNotStored("user-00"),
		expectNotStored("2001:db8"),
		showStateSize,
	}},
	{"One row changes", "Everybody is compared, one row is written.", []action{
		changeOneRow,
		terraform("apply", "-auto-approve"),
		warned(batchAddress, 4),
		received(1, writes),
		emptyPlan("seeded"),
		destroy,
	}},
	{"Destroy the first two", "One consent was withdrawn, because its configuration says so. Everything else was only removed from state.", []action{
		enter(dataRights),
		destroy,
		show(`^Destroy complete!`),
		warned(deletionAddress, 1),
		warned(accessAddress, 1),
		received(0, writes),
		received(0, deletions),

		enter(quickstart),
		destroy,
		show(`^Destroy complete!`),
		warned("", 1),
		received(1, writes),
		say("What the service holds now:"),
		holds(consentOf(drifting), "agrees to clauses 1, 2 and 3"),
		holds(consentOf(withdrawing), "agrees to nothing"),
		holds(consentOf(choosing), "agrees to clauses 1, 2 and 3"),
		holds(consentOf(existing), "agrees to clauses 1 and 2"),
		terraform("state", "list"),
		expectNoOutput,
		say("Terraform's state holds nobody any more."),
	}},
	{"Another service, which differs: the first day", "The provider found out which settings the service needs, with a test person whose consent is as it was. Nothing was queued.", []action{
		examineDialect,
		reported(`agreement_time_format += "unix_ms"`, `consent_parameters_in += "form"`, `export_kind_parameter += "kind"`, `ok +restored `),
		received(0, deletions),
		received(0, dataRequests),
	}},
}

// address returns the address of a person's consent in the quickstart.
func address(person string) string { return fmt.Sprintf("analytics_consent.person[%q]", person) }
