// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const accessName = "analytics_data_access_request"

// output returns the path of a file in a new folder.
func output(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data.json")
}

func accessTo(path string, others prototest.Attributes) prototest.Attributes {
	return config(others).With(prototest.Attributes{"output_path": path})
}

func TestDataAccess_sentOnceAwaitedAndWritten(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := output(t)
	state, diags := p.MustCreate(accessName, accessTo(path, nil))
	queued := wantQueued(t, service, mockserver.OpGetAllData, 1)
	wantAttributes(t, state, prototest.Attributes{"request_id": queued[0].ID})
	wantFile(t, state, path)
	wantNoPerson(t, diags)

	service.Reset()
	p = nextRun(t, service)
	state, _ = p.MustRefresh(accessName, state)
	p.WantEmptyPlan(accessName, state, accessTo(path, nil))
	if n := len(service.Requests()); n != 0 {
		t.Errorf("%d requests for data that are there", n)
	}

	gone, diags := p.Destroy(accessName, state)
	if gone != nil {
		t.Error("it is still there")
	}

	prototest.WantText(t, diags.Warnings(), "stays where it is")
	wantNoPerson(t, diags)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestDataAccess_dataThatAreReadyAreWrittenAtOnce(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	withWire(p, service, profileInData)
	p.MustCreate(accessName, accessTo(output(t), nil))
	path := output(t)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))
	wantAttributes(t, state, prototest.Attributes{"request_id": nil})
	wantFile(t, state, path)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

func TestDataAccess_notAwaitedIsFetchedByALaterApply(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	path := output(t)
	given := accessTo(path, atOnce)
	state, _ := p.MustCreate(accessName, given)
	id := wantQueued(t, service, mockserver.OpGetAllData, 1)[0].ID
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": id, "sha256": nil, "bytes": nil})

	p = nextRun(t, service)
	state, _ = p.MustRefresh(accessName, state)
	p.WantEmptyPlan(accessName, state, given)

	service.FulfilAll()

	p = nextRun(t, service)
	state, _ = p.MustRefresh(accessName, state)
	if _, err := os.Stat(path); err == nil {
		t.Error("a refresh has written the file")
	}

	plan, diags := p.Plan(accessName, state, given)
	p.NoErrors(diags)
	if !plan.Changes || len(plan.Replace) > 0 || plan.Attributes["sha256"] != prototest.Unknown {
		t.Errorf("planned is %v", plan.Attributes)
	}

	state, diags = p.Apply(t.Context(), accessName, state, plan)
	p.NoErrors(diags)
	wantFile(t, state, path)
	p.WantEmptyPlan(accessName, state, given)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

// TestDataAccess_getIsNeverRepeated cuts the answer on a connection that was used before.
// The transport of Go would repeat a GET that fails there.
func TestDataAccess_getIsNeverRepeated(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"cut after commit": {Cut: mockserver.CutAfterCommit},
		"500 after commit": {Status: 500, Body: []byte(`{"error":{"code":"oops"}}`), Commit: true},
		"503 after commit": {Status: 503, Body: []byte(`{"error":{"code":"oops"}}`), Commit: true},
		"cut in the body":  {Commit: true, Cut: mockserver.CutBody, CutAt: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, never)
			if _, diags := p.ReadData(pendingName, prototest.Attributes{}); len(diags.Errors()) > 0 {
				t.Fatal(diags.Errors())
			}

			before := service.Connections()
			fault.Operation = mockserver.OpGetAllData
			service.Inject(fault)
			state, _ := p.MustCreate(accessName, accessTo(output(t), atOnce))
			queued := wantQueued(t, service, mockserver.OpGetAllData, 1)
			wantAttributes(t, state, prototest.Attributes{"request_id": queued[0].ID, "fulfilled": false})
			if n := service.Count(mockserver.OpGetAllData); n != 1 {
				t.Errorf("%d requests were sent", n)
			}

			broken := 0
			if fault.Cut != mockserver.CutNone {
				broken = 1
			}
			if after := service.Connections(); after != before+broken {
				t.Errorf("%d connections before and %d after: the GET had one of its own", before, after)
			}
		})
	}
}

// A request that the list shows as done although its answer was lost has brought no data yet.
func TestDataAccess_lostAnswerOfADoneRequestIsNotTheData(t *testing.T) {
	t.Parallel()

	p, service := start(t, func(s *mockserver.Server) { s.FulfilmentDelay = -1 })
	service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Cut: mockserver.CutAfterCommit})
	path := output(t)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))
	wantFile(t, state, path)
}

func TestDataAccess_conflictsWithAPendingDeletion(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	id := service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
	_, diags := p.Create(accessName, accessTo(output(t), nil))
	prototest.WantText(t, diags.Errors(), "onflicting pending request", id)
	wantQueued(t, service, mockserver.OpGetAllData, 0)
}

func TestDataAccess_anotherRequestInsteadOfTheDataIsAWarning(t *testing.T) {
	t.Parallel()

	p, service := start(t, func(s *mockserver.Server) { s.DataRetention = time.Nanosecond })
	given := accessTo(output(t), nil)
	state, diags := p.MustCreate(accessName, given)
	queued := wantQueued(t, service, mockserver.OpGetAllData, 2)
	prototest.WantText(t, diags.Warnings(), "gave no data", queued[1].ID)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": queued[1].ID, "sha256": nil})
	p.WantEmptyPlan(accessName, state, given)
}

func TestDataAccess_failedFetchIsRepeatedByTheNextApply(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Skip: 1, Status: 403, Body: []byte(`{"error":{"message":"no ` + person + `"}}`)})
	path := output(t)
	state, diags := p.MustCreate(accessName, accessTo(path, nil))
	prototest.WantText(t, diags.Warnings(), "its data are not in the file", "Not permitted")
	wantNoPerson(t, diags)
	state, diags = nextRun(t, service).Update(accessName, state, accessTo(path, nil))
	p.NoErrors(diags)
	wantFile(t, state, path)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

// Data that were in the file before do not show that the request of changed triggers was
// carried out. Each occasion sends one request.
func TestDataAccess_changedTriggersRequestAgain(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := output(t)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))
	service.PutProfile(scope, person, `{"name":"Jane Canary","since":"then"}`)
	on := func(day string) prototest.Attributes {
		return accessTo(path, prototest.Attributes{"triggers": prototest.Attributes{"on": day}})
	}

	p = nextRun(t, service)
	withWire(p, service, profileInData)
	plan, diags := p.Plan(accessName, state, on("friday"))
	p.NoErrors(diags)
	if len(plan.Replace) > 0 {
		t.Errorf("it is replaced for %v", plan.Replace)
	}

	state, diags = p.Apply(t.Context(), accessName, state, plan)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "same data as before") // which the service had prepared
	asked := service.Count(mockserver.OpGetAllData)
	for range 2 {
		p.WantEmptyPlan(accessName, state, on("friday"))
		state, _ = p.MustRefresh(accessName, state)
	}
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": nil})
	if n := service.Count(mockserver.OpGetAllData); n != asked {
		t.Errorf("the service was asked %d times more for the same triggers", n-asked)
	}

	service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
	service.FulfilAll() // what the service had prepared is gone
	service.PutProfile(scope, person, `{"name":"Jane Canary","since":"now"}`)
	withWire(p, service, profileInData)
	state, diags = p.Update(accessName, state, on("saturday"))
	p.NoErrors(diags)
	wantFile(t, state, path)
	wantQueued(t, service, mockserver.OpGetAllData, 2)
	p.WantEmptyPlan(accessName, state, on("saturday"))
}

func TestDataAccess_changedPathReplaces(t *testing.T) {
	t.Parallel()

	p, _ := start(t)
	state, _ := p.MustCreate(accessName, accessTo(output(t), nil))
	plan, diags := p.Plan(accessName, state, accessTo(output(t), nil))
	p.NoErrors(diags)
	if len(plan.Replace) != 1 || plan.Replace[0] != "output_path" {
		t.Errorf("it is replaced for %v", plan.Replace)
	}
}

// An answer that is not recognised as the data leaves the request in state and no file. The
// setting that the warning names admits the answer, and nothing is requested again.
func TestDataAccess_dataThatIsNotRecognisedHasAWayOut(t *testing.T) {
	t.Parallel()

	const body = `{"plan":"gold","seen":3}`
	p, service := start(t, mocktest.AnswerData(body))
	path := output(t)
	state, diags := p.MustCreate(accessName, accessTo(path, nil))
	prototest.WantText(t, diags.Warnings(), "not recognised as the person's data", "$.plan (a string)", "wire.all_data_member")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "sha256": nil})
	wantNoFile(t, path)

	withWire(p, service, prototest.Attributes{"all_data_member": "plan"})
	state, _ = p.MustRefresh(accessName, state)
	state, diags = p.Update(accessName, state, accessTo(path, nil))
	p.NoErrors(diags)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true})
	if text, err := os.ReadFile(path); err != nil || string(text) != body {
		t.Errorf("the file holds %s (%v)", text, err)
	}
	p.WantEmptyPlan(accessName, state, accessTo(path, nil))
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

func TestDataAccess_interruptedWaitIsResumed(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	path := output(t)
	state, diags := interruptedState(t, p, hasQueued(service), accessName, accessTo(path, nil))
	prototest.WantText(t, diags.Warnings(), "Interrupted while waiting", "request-1")

	p = nextRun(t, service)
	plan, diags := p.Plan(accessName, state, accessTo(path, nil))
	p.NoErrors(diags)
	service.FulfilAll()
	state, diags = p.Apply(t.Context(), accessName, state, plan)
	p.NoErrors(diags)
	wantFile(t, state, path)
	wantAttributes(t, state, prototest.Attributes{"request_id": "request-1"})
	p.WantEmptyPlan(accessName, state, accessTo(path, nil))
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}
