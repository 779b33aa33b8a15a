// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"net/http"
	"os"
	"path/filepath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

const (
	notAwaited = "wait_for_fulfilment = false"
	friday     = `triggers = { on = "friday" }`
	toFile     = `output_path = "ann.json"`
)

// conclude ends the oldest request.
func conclude(o mockserver.Outcome) func(*stage) {
	return func(s *stage) { s.service.Conclude(s.service.Queue()[0].ID, o) }
}

// onDisk returns a step that does something with a path beside the configuration.
func onDisk(name string, do func(path string) error) func(*stage) {
	return func(s *stage) {
		if err := do(filepath.Join(s.Dir, name)); err != nil {
			s.t.Fatal(err)
		}
	}
}

func write(name, content string) func(*stage) {
	return onDisk(name, func(path string) error { return os.WriteFile(path, []byte(content), 0o600) })
}

func remove(name string) func(*stage) { return onDisk(name, os.RemoveAll) }

func makeFolder(name string) func(*stage) {
	return onDisk(name, func(path string) error { return os.Mkdir(path, 0o700) })
}

// listed keeps finished requests in the list, as done.
func listed(s *mockserver.Server) {
	s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{KeepListed: true} }
}

// leavesTheirs leaves the request of another operator pending.
func leavesTheirs(s *mockserver.Server) {
	s.Fulfil = func(q mockserver.QueuedRequest) mockserver.Outcome {
		if q.ID == "theirs" {
			return mockserver.Outcome{Fate: mockserver.Never}
		}
		return mockserver.Outcome{}
	}
}

func fulfilAll(s *stage) { s.service.FulfilAll() }

var plan = []string{"plan"}

// deferredRequests are the advices about requests that the service carries out later.
var deferredRequests = map[string]play{
	"apply again later: it looks for the same request": {
		configuration: object("data_deletion", "x", "timeouts {", `  create = "3s"`, "}"), service: never, follow: fulfilAll,
	},
	"ask the operator of the service about the request. To send another one, change triggers.": {
		configuration: object("data_deletion", "x", notAwaited), service: never,
		situation: applied(run(apply...), inOrder(conclude(mockserver.Outcome{Fate: mockserver.Vanished}), run(apply...))), says: plan,
		follow: configure(object("data_deletion", "x", notAwaited, friday)), again: 1,
	},
	"look at analytics_pending_requests before you apply. The apply": {
		configuration: object("data_deletion", "x", notAwaited),
		situation:     applied(fulfilAll, run(apply...), configure(object("data_deletion", "x", notAwaited, friday)), losesAnswer(mockserver.CutBeforeCommit), func(s *stage) { s.Run(apply...) }),
		says:          plan, again: 1,
	},
	"nothing. To send another one, change triggers.": {
		configuration: object("data_deletion", "x") + object("data_deletion", "y"), service: listed,
	},
	"apply again: the next apply sends one": {
		configuration: object("data_deletion", "x"), service: leavesTheirs,
		situation: func(s *stage) { // theirs is taken over from the first list, and fails before the next one
			s.service.Enqueue(mockserver.QueuedRequest{ID: "theirs", Scope: scope, Identity: "ann", Operation: mockserver.OpDeleteAllData})
			fails := func() { s.service.Conclude("theirs", mockserver.Outcome{Fate: mockserver.Failed}) }
			s.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Then: fails})
		},
		again: 1, // beside theirs
	},
	"set what the message names, or ask the operator of the service about the request": {
		configuration: object("data_deletion", "x", notAwaited), service: never,
		situation: applied(conclude(mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"})), says: plan,
		follow: inOrder(set("ANALYTICS_WIRE", `{"lag":"0s","pending":{"statuses":{"ended":["QUEUED_V2"]}}}`), func(s *stage) { s.service.DeleteProfile(scope, "ann") }),
	},
	"look at analytics_pending_requests for it": {
		configuration: object("data_deletion", "x", notAwaited), service: mocktest.AnswerQueueing(http.StatusOK, `{"hello":"world"}`),
		follow: fulfilAll,
	},

	"ask the operator of the service about the request. Each refresh": {
		configuration: object("data_deletion", "x"), situation: func(s *stage) { s.service.DeleteProfile(scope, "ann") },
	},

	"correct output_path, or what is at that path": {
		configuration: object("data_access_request", "x", `output_path = "missing/ann.json"`), service: listed,
		follow: configure(object("data_access_request", "x", toFile)),
	},
	"remove the cause and run again.": {
		configuration: object("data_access_request", "x", toFile), service: listed,
		situation: inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Skip: 1, Status: http.StatusInternalServerError, Body: []byte("{}")}),
	},
	"nothing, if nothing is there; or put the file back": {
		configuration: object("data_access_request", "x", toFile), service: listed,
		situation: applied(write("ann.json", "{}")), says: plan, follow: remove("ann.json"), again: 1,
	},
	"narrow the list with identity_id or operation": {
		configuration: block("data", "pending_requests", "all", "max_requests = 1"), service: never,
		situation: func(s *stage) {
			for _, person := range []string{"ann", "bob"} {
				s.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
			}
		},
		follow: configure(block("data", "pending_requests", "all", "max_requests = 0")),
	},

	"nothing, if the profile is to stay": {
		configuration: profileOf(), situation: applied(configure("")), says: plan,
		follow: inOrder(reach(profileOf(`on_destroy = "clear"`)), configure("")), again: 2,
	},
	"keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then.": {
		configuration: profileOf(`on_destroy = "clear"`) + another, situation: applied(configure(another)),
		follow: inOrder(reach(profileOf()+another), configure(another)), again: 1,
	},
	"set the resource's own org_id and project_id, or account_id": {
		configuration: object("data_deletion", "x", notAwaited), service: never,
		situation: applied(set("ANALYTICS_PROJECT_ID", "shop")), says: plan,
		follow: configure(object("data_deletion", "x", notAwaited, `org_id = "org-demo"`, `project_id = "web"`)),
	},
}

// another is an object that manages the same member of the same profile as profileOf.
var another = object("profile", "y", `profile = jsonencode({ plan = "gold" })`)

// losesAnswer returns a situation in which a deletion has no answer, and nothing tells whether it has
// arrived.
func losesAnswer(cut mockserver.Cut) func(*stage) {
	return func(s *stage) {
		refuse := mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: http.StatusForbidden, Body: []byte(`{"error":{}}`)}
		s.service.Inject(mockserver.Fault{Operation: mockserver.OpDeleteAllData, Cut: cut, Then: func() { s.service.Inject(refuse) }})
	}
}

func profileOf(lines ...string) string {
	return object("profile", "x", append([]string{`profile = jsonencode({ plan = "gold" })`}, lines...)...)
}

// action returns an action about the person ann.
func action(name string, lines ...string) string {
	return block("action", name, "x", append(append([]string{"config {", `  identity_id = "ann"`}, lines...), "}")...)
}

func invoke(name string) []string {
	return []string{"apply", "-auto-approve", "-invoke=action.analytics_" + name + ".x"}
}

// impatient is a limit that is over before the service has carried anything out.
const impatient = "  timeouts {\n    invoke = \"3s\"\n  }"

// actions are the advices about what an action submits.
var actions = map[string]play{
	"look at analytics_pending_requests later; the request stands": {
		configuration: action("delete_data", impatient), needs: acctest.Actions, service: never,
		says: invoke("delete_data"), follow: fulfilAll,
	},
	"invoke the action again later: it takes the request over": {
		configuration: action("request_data_access", `  output_path = "ann.json"`, impatient), needs: acctest.Actions,
		service: func(s *mockserver.Server) {
			s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome {
				return mockserver.Outcome{Fate: mockserver.Never, KeepListed: true}
			}
		},
		says: invoke("request_data_access"), follow: inOrder(fulfilAll, set("ANALYTICS_WIRE", `{"lag":"0s","all_data":{"at":"/profile"}}`), run(invoke("request_data_access")...)),
	},
}
