// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// dataAt returns settings by which the data are recognised, also at once.
func dataAt(pointer string) prototest.Attributes {
	return prototest.Attributes{"all_data": prototest.Attributes{"at": pointer}}
}

func output(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data.json")
}

// wantData fails the test if a file does not hold the person's data, may be read by others, or
// has others beside it. It returns the content.
func wantData(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	var data struct{ Identity string }
	_ = json.Unmarshal(content, &data)
	if data.Identity != person || !strings.Contains(string(content), "Jane Canary") {
		t.Errorf("the file holds %q (%v)", content, err)
	}
	prototest.WantAlone(t, path)

	return content
}

// wantFile fails the test if state does not describe the file, or holds what is in it.
func (o *object) wantFile() {
	o.t.Helper()
	content := wantData(o.t, o.path)
	sum := sha256.Sum256(content)
	o.want(prototest.Attributes{"fulfilled": true, "sha256": hex.EncodeToString(sum[:]), "bytes": float64(len(content))})
	state, _ := json.Marshal(o.state.Attributes)
	if strings.Contains(string(state)+string(o.state.Private), "Canary") {
		o.t.Errorf("the data are in state: %s", state)
	}
}

func (o *object) wantNoFile() {
	o.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(o.path))
	if err != nil || len(entries) > 0 {
		o.t.Errorf("the folder holds %v, %v", entries, err)
	}
	if o.state != nil {
		o.want(prototest.Attributes{"fulfilled": false, "sha256": nil})
	}
}

func (o *object) wantText(want string) {
	o.t.Helper()
	if content, err := os.ReadFile(o.path); err != nil || string(content) != want {
		o.t.Errorf("the file holds %q, %v", content, err)
	}
	prototest.WantAlone(o.t, o.path)
}

// once creates another object, or invokes the action, whatever its plan says.
func (o *object) once(config prototest.Attributes) {
	o.t.Helper()
	if o.name == requestAccessName {
		o.diags = o.InvokePlanned(o.name, config, nil).Diagnostics
	} else {
		o.state, o.diags = o.Update(o.name, nil, config)
	}
	o.isDiscreet()
}

// refused is once with an error and without a request. The error does not name the folder.
func (o *object) refused(config prototest.Attributes, words ...string) {
	o.t.Helper()
	sent := o.service.Count(o.operation)
	o.once(config)
	o.fails(append(words, "Nothing was sent", "output_path")...)
	wantUnnamed(o.t, o.diags.Errors(), filepath.Dir(o.path))
	if n := o.service.Count(o.operation); n != sent || o.state != nil {
		o.t.Errorf("%d requests were sent, and in state is %v", n-sent, o.state)
	}
}

// A request that the list shows as done although its answer was lost has brought no data.
func TestDataAccess_lostAnswerIsNotTheData(t *testing.T) {
	t.Parallel()
	accesses.each(t, func(_ *testing.T, o *object) {
		o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutAfterCommit})
		o.apply(nil)
		o.wantFile()
	}, func(s *mockserver.Server) { s.FulfilmentDelay = -1 })
}

// Each call for data that are ready queues another request.
func TestDataAccess_noDataAreAskedForFiveTimes(t *testing.T) {
	t.Parallel()
	accesses.each(t, func(t *testing.T, o *object) {
		o.apply(nil)
		o.says("gave no data", "asked 1 times", "change triggers", "wire.all_data.at")
		for range 8 {
			o.want(prototest.Attributes{"fulfilled": false, "request_id": "request-1", "sha256": nil})
			o.service.FulfilAll()
			<-time.After(time.Hour)
			o.apply(nil)
		}
		o.queued(6)
		o.refresh()
		o.says("asked 5 times", "change triggers", "wire.all_data.at")
		o.wantEmptyPlan()

		// Other triggers begin anew, and so does another setting. What was planned with the former one is kept to.
		asked, former := o.state, o.config
		o.apply(on("friday"))
		o.says("gave no data", "asked 1 times")
		o.state, o.config = asked, former
		plan, _ := o.MustPlan(o.name, o.state, o.config.With(prototest.Attributes{"overwrite": true}))
		o.answer(o.operation, 1, 200, `{"status":"active","sessions":3}`)
		o.withWire(dataAt("/sessions"))
		_, diags := o.Apply(t.Context(), o.name, o.state, plan)
		o.NoErrors(diags)
		o.refresh()
		o.apply(nil)
		o.want(prototest.Attributes{"fulfilled": true, "request_id": "request-1"})
	}, func(s *mockserver.Server) { s.DataRetention = time.Nanosecond })
}

// An answer that is not the data leaves the request in state and no file. The next apply fetches the data without another
// request, with the setting that the warning names where that has to admit them, and with other triggers where the
// service queues nothing.
func TestDataAccess_answerThatIsNotTheDataHasAWayOut(t *testing.T) {
	t.Parallel()
	const theirs, gold, sessions = "grace@example.com", `{"plan":"gold","seen":3}`, `{"profile":{"plan":"gold"},"sessions":[]}`
	type row struct {
		answer mockserver.Fault
		says   []string
		at     string // setting that admits the answer
		again  prototest.Attributes
	}
	isOld := map[string][]string{"Date": {"Fri, 31 Dec 1999 23:00:00 GMT"}}
	rows(t, map[string]row{
		"refused":          {mockserver.Fault{Skip: 1, Status: 403, Body: []byte(`{"error":{"message":"no ` + person + `"}}`)}, []string{"its data is not in the file", "Not permitted"}, "", nil},
		"of somebody else": {mockserver.Fault{Skip: 1, Status: 200, Body: []byte(`{"identityId":"` + theirs + `","profile":{},"events":[{"id":1}]}`)}, []string{"about somebody else"}, "", nil},
		"older":            {mockserver.Fault{Skip: 1, Status: 200, Body: []byte(`{}`), Header: isOld}, []string{"older than the request"}, "", nil},
		"not recognised":   {mockserver.Fault{Skip: 1, Times: -1, Status: 200, Body: []byte(gold)}, []string{"not recognised as the person's data", `"plan"`, "wire.all_data.at"}, "/plan", nil},
		"in an envelope":   {mockserver.Fault{Skip: 1, Times: -1, Status: 200, Body: []byte(`{"message":"Here it is.","data":{"events":[{"id":1}]}}`)}, []string{`wire.all_data.at = "/data/events" admits it`}, "/data/events", nil},
		"at once":          {mockserver.Fault{Times: -1, Status: 200, Body: []byte(sessions)}, []string{"wire.all_data.at", "change triggers"}, "/sessions", on("friday")},
	}, func(t *testing.T, _ string, row row) {
		accesses.each(t, func(_ *testing.T, o *object) {
			answer := row.answer
			answer.Operation = o.operation
			o.service.Inject(answer)
			o.apply(nil)
			o.says(row.says...)
			o.isDiscreet(theirs)
			o.refresh()
			o.wantNoFile()
			id := o.state.Attributes["request_id"]
			if row.at == "" {
				o.apply(nil)
				o.wantFile()
				o.want(prototest.Attributes{"request_id": id})
				o.queued(1)
				return
			}

			o.withWire(dataAt(row.at))
			o.apply(row.again)
			o.want(prototest.Attributes{"fulfilled": true})
			o.wantText(string(row.answer.Body))
			o.wantEmptyPlan()
		})
	})
}

// While a request is pending for the person, or may be because the list cannot be read or lags, no answer is the data.
func TestDataAccess_answerThatLooksLikeTheData(t *testing.T) {
	t.Parallel()
	data := `{"profile":{"name":"` + strings.Repeat("x", 1<<20) + `"},"events":[{"type":"click"}]}` // larger than a receipt may be
	type row struct {
		ends    mockserver.Outcome // of the request
		list    mockserver.Fault   // in place of the list
		pending prototest.Attributes
		isData  bool
	}
	later, done := mockserver.Outcome{After: time.Minute}, mockserver.Outcome{After: -1}
	archived := prototest.Attributes{"statuses": prototest.Attributes{"ended": []any{"archived"}}}
	rows(t, map[string]row{
		"beside a pending request":            {ends: later},
		"beside one that is listed later":     {ends: later, list: mockserver.Fault{Body: []byte("[]")}},
		"beside one that is carried out soon": {ends: mockserver.Outcome{After: 5 * time.Second}},
		"beside a list that is cut":           {ends: done, list: mockserver.Fault{Times: -1, Body: []byte(`{"requests":[],"has_more":true}`)}},
		"while the list is down for a moment": {ends: done, list: mockserver.Fault{Status: 500}, isData: true},
		"beside a request that has ended":     {ends: mockserver.Outcome{After: -1, KeepListed: true, FinalStatus: "archived"}, pending: archived, isData: true},
		"while the list is not read":          {ends: later, pending: prototest.Attributes{"use": "ignored"}, isData: true},
	}, func(t *testing.T, _ string, row row) {
		accesses.each(t, func(_ *testing.T, o *object) {
			row.list.Operation, row.list.Skip = mockserver.OpListPendingRequests, 1
			if row.list.Status+len(row.list.Body) > 0 {
				o.service.Inject(row.list)
			}
			o.withWire(dataAt("/profile").With(prototest.Attributes{"pending": row.pending, "lag": "10s"}))
			o.apply(atOnce)
			if row.isData {
				o.want(prototest.Attributes{"fulfilled": true})
				o.wantText(data)
			} else {
				o.wantNoFile()
			}
		}, mocktest.AnswerQueueing(200, data), outcome(row.ends))
	})
}

// A file that cannot be put in place is as good as none.
func TestDataAccess_failedFileIsWrittenByTheNextApply(t *testing.T) {
	t.Parallel()
	accesses.each(t, func(_ *testing.T, o *object) {
		o.service.Inject(mockserver.Fault{Operation: o.operation, Commit: true, Then: func() { _ = os.Mkdir(o.path, 0o700) }})
		o.apply(nil)
		o.says("its data is not in the file", "not a regular file")
		_ = os.Remove(o.path)
		o.wantNoFile()
		o.apply(nil)
		o.wantFile()
		o.queued(1)
	})
}

// Data that were in the file before do not show that the request of changed triggers was
// carried out. Each key sends one request.
func TestDataAccess_changedTriggersRequestAgain(t *testing.T) {
	t.Parallel()
	accesses.each(t, func(t *testing.T, o *object) {
		o.apply(nil)
		o.service.PutProfile(scope, person, `{"name":"Jane Canary","since":"then"}`)
		o.withWire(dataAt("/profile"))
		o.apply(on("friday"))
		o.says("the data were the same", "change triggers") // which the service had prepared
		asked := o.service.Count(o.operation)
		for range 2 {
			o.wantEmptyPlan()
			o.refresh()
		}
		o.want(prototest.Attributes{"fulfilled": false, "request_id": nil})
		if n := o.service.Count(o.operation); n != asked {
			t.Errorf("the service was asked %d times more for the same triggers", n-asked)
		}

		o.renew()
		o.apply(on("saturday"))
		o.wantFile()
		o.queued(2)
		o.wantEmptyPlan()
	})
}

// renew makes the service forget what it had prepared, and gives the person other data.
func (o *object) renew() {
	o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
	o.service.FulfilAll()
	o.service.PutProfile(scope, person, `{"name":"Jane Canary","since":"now"}`)
}

// While somebody else's request is pending, the data are not asked for, however often it is tried.
func TestDataAccess_isNotGivenUpBesideTheRequestOfSomebodyElse(t *testing.T) {
	t.Parallel()
	accesses.each(t, func(_ *testing.T, o *object) {
		o.apply(atOnce)
		o.refresh() // the list has shown it
		ours := o.queued(1)[0].ID
		theirs := o.enqueue()
		o.conclude(mockserver.Outcome{})
		for range 7 {
			<-time.After(time.Minute)
			o.refresh()
			o.apply(nil)
			o.want(prototest.Attributes{"fulfilled": false, "request_id": ours})
		}
		o.service.Conclude(theirs, mockserver.Outcome{})
		o.refresh()
		o.apply(nil)
		o.want(prototest.Attributes{"fulfilled": true, "request_id": ours})
	}, never)
}

// A file that was altered may hold the data of another person, written by another object, so
// it is not replaced. One that cannot be read may be intact.
func TestDataAccess_lostOrAlteredFileIsRequestedAnew(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(path string) error{
		"lost":    os.Remove,
		"altered": func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) },
		"replaced": func(path string) error {
			_ = os.Rename(path, path+".old")
			return os.Symlink(path+".old", path)
		},
		"unreadable": func(path string) error {
			folder := filepath.Dir(path)
			_ = os.Rename(folder, folder+".away")
			return os.WriteFile(folder, nil, 0o600)
		},
	}, func(t *testing.T, name string, harm func(path string) error) {
		accesses.each(t, func(t *testing.T, o *object) {
			o.apply(nil)
			outfile.Confirm(o.path) // as at the end of the process
			if err := harm(o.path); err != nil {
				t.Fatal(err)
			}
			digest := o.state.Attributes["sha256"]
			o.state, o.diags = o.Refresh(o.name, o.state)
			if name == "unreadable" {
				o.fails("The file cannot be read", "output_path")
				o.want(prototest.Attributes{"sha256": digest})
				return
			}

			o.NoErrors(o.diags)
			o.says("requested again", "output_path", "regular file", "overwrite")
			if o.state != nil {
				t.Error("the object is still in state")
			}
			if name == "altered" {
				o.refused(o.config, "a file is at that path already")
				o.wantText("theirs")
			}
		})
	})
}

// A path that cannot be written to is refused before anything is sent, a file of somebody else is replaced with
// overwrite only, and two objects cannot use one path, whether the data of the first are written or still to come.
func TestDataAccess_filesOfOthersStay(t *testing.T) {
	t.Parallel()
	rows(t, map[string]bool{"written": true, "pending": false}, func(t *testing.T, _ string, waits bool) {
		names{accessName, requestAccessName}.each(t, func(t *testing.T, o *object) {
			to := func(path string) prototest.Attributes {
				return o.config.With(prototest.Attributes{"output_path": path})
			}
			folder := filepath.Dir(o.path)
			for _, unwritable := range []string{folder, filepath.Join(folder, "missing", "data.json"), folder + "/"} {
				o.refused(to(unwritable), "cannot be written")
			}
			if o.name == requestAccessName { // whose plan does not know every path
				prototest.WantText(t, o.PlanAction(o.name, to("")).Errors(), "at least 1")
				o.refused(to(""), "cannot be written")
			}
			wantNothingSent(t, o.service)
			if err := os.WriteFile(o.path, []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			o.refused(o.config, "a file is at that path already", "overwrite = true")
			o.wantText("theirs")

			overwriting := o.config.With(prototest.Attributes{"overwrite": true, "wait_for_fulfilment": waits})
			o.once(overwriting)
			o.NoErrors(o.diags)
			o.state = nil
			o.refused(overwriting.With(prototest.Attributes{"identity_id": "ada@example.com"}), "another resource of this run uses that path")
			if waits {
				wantData(t, o.path)
			} else {
				o.wantText("theirs")
			}
			o.queued(1)
		})
	})
}

// What a killed process has put in place before Terraform recorded it is replaced by the next run, without overwrite, also
// where it has replaced the file of the object. One that Terraform has recorded is kept.
func TestDataAccess_killedBeforeItIsRecorded(t *testing.T) {
	t.Parallel()
	rows(t, map[string]prototest.Attributes{"the file of a pending request": atOnce, "another file": nil}, func(t *testing.T, _ string, before prototest.Attributes) {
		accesses.each(t, func(t *testing.T, o *object) {
			o.withWire(dataAt("/profile"))
			o.apply(before)
			o.renew()
			o.config = o.config.With(on("friday")).Without("wait_for_fulfilment")
			o.MustUpdate(o.name, o.state, o.config)
			prototest.KillUnrecorded(t, o.path)

			o.NewRun()
			o.state, o.diags = o.Refresh(o.name, o.state)
			o.NoErrors(o.diags)
			if before == nil { // state has the digest of the file that was replaced
				o.says("The data is requested again", "killed")
			}
			o.apply(nil)
			prototest.KillUnrecorded(t, o.path)
			o.refresh()
			o.says()
			if outfile.IsUnrecorded(o.path) {
				t.Error("the next run would replace it")
			}
			o.wantFile()
			o.wantEmptyPlan()
		})
	})
}
