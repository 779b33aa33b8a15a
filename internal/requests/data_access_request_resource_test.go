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

// profileInData are settings by which the data of the mock server are recognised.
var profileInData = prototest.Attributes{"all_data": prototest.Attributes{"at": "/profile"}}

// output returns the path of a file in a new folder.
func output(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data.json")
}

func accessTo(path string, others prototest.Attributes) prototest.Attributes {
	return config(others).With(prototest.Attributes{"output_path": path})
}

// wantData fails the test if a file does not hold the person's data, may be read by others, or
// has others beside it. It returns the content.
func wantData(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	var data struct{ Identity string }
	if err := json.Unmarshal(content, &data); err != nil || data.Identity != person || !strings.Contains(string(content), "Jane Canary") {
		t.Errorf("the file holds %q (%v)", content, err)
	}
	prototest.WantAlone(t, path)

	return content
}

// wantFile fails the test if state does not describe the file, or holds what is in it.
func wantFile(t *testing.T, state *prototest.State, path string) {
	t.Helper()
	content := wantData(t, path)
	sum := sha256.Sum256(content)
	wantAttributes(t, state, prototest.Attributes{
		"fulfilled": true, "sha256": hex.EncodeToString(sum[:]), "bytes": float64(len(content)),
	})

	for name, value := range state.Attributes {
		if text, _ := value.(string); strings.Contains(text, "Canary") {
			t.Errorf("the data are in state, in %s", name)
		}
	}
	if strings.Contains(string(state.Private), "Canary") {
		t.Error("the data are in private state")
	}
}

func wantNoFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) > 0 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// wantTheirs fails the test if a file of somebody else was changed.
func wantTheirs(t *testing.T, path string) {
	t.Helper()
	if content, err := os.ReadFile(path); err != nil || string(content) != "theirs" {
		t.Errorf("the file holds %q, %v", content, err)
	}
	prototest.WantAlone(t, path)
}

// once creates the object, or invokes the action, whatever its plan says.
func (o *object) once(config prototest.Attributes) (*prototest.State, prototest.Diagnostics) {
	o.t.Helper()
	if o.name != requestAccessName {
		return o.Create(o.name, config)
	}
	invoked := o.InvokePlanned(o.name, config, nil)
	o.wantDiscreet(invoked)

	return nil, invoked.Diagnostics
}

// refused creates an object or invokes an action, which has to end with an error and without a
// request. The error does not name the folder.
func (o *object) refused(config prototest.Attributes, words ...string) {
	o.t.Helper()
	sent := o.service.Count(o.operation)
	state, diags := o.once(config)
	prototest.WantText(o.t, diags.Errors(), append(words, "Nothing was sent", "output_path")...)
	wantUnnamed(o.t, diags.Errors(), filepath.Dir(o.path))
	if state != nil {
		o.t.Error("something is in state")
	}
	if n := o.service.Count(o.operation); n != sent {
		o.t.Errorf("%d requests were sent", n-sent)
	}
}

// What the service answers decides what the file holds, and whether there is one.
func TestDataAccess_answers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		configure func(*mockserver.Server)
		run       func(t *testing.T, o *object)
	}{
		// A request that the list shows as done although its answer was lost has brought no data.
		"lost": {func(s *mockserver.Server) { s.FulfilmentDelay = -1 }, func(t *testing.T, o *object) {
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Cut: mockserver.CutAfterCommit})
			state, _ := o.MustCreate(accessName, o.config)
			wantFile(t, state, o.path)
		}},
		"data of somebody else": {never, func(t *testing.T, o *object) {
			const theirs = "grace@example.com"
			body := `{"identityId":"` + theirs + `","profile":{"plan":"Canary"},"events":[{"id":1}]}`
			state, _ := o.MustCreate(accessName, o.config.With(atOnce))
			o.service.FulfilAll()
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Status: 200, Body: []byte(body), Times: -1})
			state, _ = o.refresh(state)
			<-time.After(time.Minute)
			state, _ = o.refresh(state)
			state, diags := o.Update(accessName, state, o.config)
			prototest.WantText(t, append(diags.Errors(), diags.Warnings()...), "about somebody else")
			wantUnnamed(t, append(diags.Errors(), diags.Warnings()...), theirs)
			wantNoFile(t, o.path)
			o.want(state, prototest.Attributes{"sha256": nil})
		}},
		"another request": {func(s *mockserver.Server) { s.DataRetention = time.Nanosecond }, func(t *testing.T, o *object) {
			state, diags := o.MustCreate(accessName, o.config)
			prototest.WantText(t, diags.Warnings(), "gave no data", "asked 1 times", "change triggers", "wire.all_data.at")
			for range 8 { // each call queues another request
				o.want(state, prototest.Attributes{"fulfilled": false, "request_id": "request-1", "sha256": nil})
				o.service.FulfilAll()
				<-time.After(time.Hour)
				state, _ = o.MustUpdate(o.name, state, o.config)
			}
			o.queued(6)
			state, diags = o.refresh(state)
			prototest.WantText(t, diags.Warnings(), "asked 5 times", "change triggers", "wire.all_data.at")
			o.WantEmptyPlan(accessName, state, o.config)

			_, diags = o.MustUpdate(o.name, state, o.config.With(on("friday"))) // begins anew
			prototest.WantText(t, diags.Warnings(), "gave no data", "asked 1 times")

			// So does another setting. What was planned with the former one is kept to.
			plan, _ := o.MustPlan(o.name, state, o.config.With(prototest.Attributes{"overwrite": true}))
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Status: 200, Body: []byte(`{"status":"active","sessions":3}`)})
			withWire(o.Provider, o.service, prototest.Attributes{"all_data": prototest.Attributes{"at": "/sessions"}})
			_, diags = o.Apply(t.Context(), accessName, state, plan)
			o.NoErrors(diags)
			state, _ = o.refresh(state)
			state, _ = o.MustUpdate(o.name, state, o.config)
			o.want(state, prototest.Attributes{"fulfilled": true, "request_id": "request-1"})
		}},
		"data older than the request": {func(*mockserver.Server) {}, func(t *testing.T, o *object) {
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Skip: 1, Status: 200, Body: []byte(`{}`), Header: map[string][]string{"Date": {"Fri, 31 Dec 1999 23:00:00 GMT"}}})
			state, diags := o.MustCreate(accessName, o.config)
			prototest.WantText(t, diags.Warnings(), "older than the request")
			wantNoFile(t, o.path)
			o.want(state, prototest.Attributes{"fulfilled": false})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, []string{accessName}, tc.run, tc.configure)
		})
	}
}

// Data that could not be fetched or written are fetched by the next apply, without another
// request.
func TestDataAccess_failedFetchIsRepeatedByTheNextApply(t *testing.T) {
	t.Parallel()
	for says, harm := range map[string]func(o *object){
		"Not permitted": func(o *object) {
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Skip: 1, Status: 403, Body: []byte(`{"error":{"message":"no ` + person + `"}}`)})
		},
		"not a regular file": func(o *object) {
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Commit: true, Then: func() { _ = os.Mkdir(o.path, 0o700) }})
		},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			eachObject(t, []string{accessName}, func(t *testing.T, o *object) {
				harm(o)
				state, diags := o.MustCreate(accessName, o.config)
				prototest.WantText(t, diags.Warnings(), "its data is not in the file", says)
				wantNoPerson(t, diags)
				o.want(state, prototest.Attributes{"fulfilled": false, "request_id": "request-1"})

				_ = os.Remove(o.path)
				state, _ = o.refresh(state)
				wantNoFile(t, o.path)
				o.want(state, prototest.Attributes{"fulfilled": false, "request_id": "request-1"})
				state, _ = o.MustUpdate(o.name, state, o.config)
				wantFile(t, state, o.path)
				o.want(state, prototest.Attributes{"request_id": "request-1"})
				o.queued(1)
			})
		})
	}
}

// Data that were in the file before do not show that the request of changed triggers was
// carried out. Each key sends one request.
func TestDataAccess_changedTriggersRequestAgain(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{accessName}, func(t *testing.T, o *object) {
		state := o.create(nil)
		o.service.PutProfile(scope, person, `{"name":"Jane Canary","since":"then"}`)
		withWire(o.Provider, o.service, profileInData)
		friday := accessTo(o.path, on("friday"))
		plan, _ := o.MustPlan(o.name, state, friday)
		if len(plan.Replace) > 0 {
			t.Errorf("it is replaced for %v", plan.Replace)
		}

		state, diags := o.Apply(t.Context(), accessName, state, plan)
		o.NoErrors(diags)
		prototest.WantText(t, diags.Warnings(), "the same as before") // which the service had prepared
		asked := o.service.Count(mockserver.OpGetAllData)
		for range 2 {
			o.WantEmptyPlan(accessName, state, friday)
			state, _ = o.MustRefresh(accessName, state)
		}
		o.want(state, prototest.Attributes{"fulfilled": false, "request_id": nil})
		if n := o.service.Count(mockserver.OpGetAllData); n != asked {
			t.Errorf("the service was asked %d times more for the same triggers", n-asked)
		}

		o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
		o.service.FulfilAll() // what the service had prepared is gone
		o.service.PutProfile(scope, person, `{"name":"Jane Canary","since":"now"}`)
		o.NewRun()
		saturday := accessTo(o.path, on("saturday"))
		state, _ = o.MustUpdate(o.name, state, saturday)
		wantFile(t, state, o.path)
		o.queued(2)
		o.WantEmptyPlan(accessName, state, saturday)
	})
}

// An answer that is not recognised as the data leaves the request in state and no file. The
// setting that the warning names admits the answer, and nothing is requested again.
func TestDataAccess_dataThatIsNotRecognisedHasAWayOut(t *testing.T) {
	t.Parallel()
	const body = `{"plan":"gold","seen":3}`
	eachObject(t, []string{accessName}, func(t *testing.T, o *object) {
		state, diags := o.MustCreate(accessName, o.config)
		prototest.WantText(t, diags.Warnings(), "not recognised as the person's data", `"plan"`, "wire.all_data.at")
		o.want(state, prototest.Attributes{"fulfilled": false, "sha256": nil})
		wantNoFile(t, o.path)

		withWire(o.Provider, o.service, prototest.Attributes{"all_data": prototest.Attributes{"at": "/plan"}})
		state, _ = o.MustRefresh(accessName, state)
		state, _ = o.MustUpdate(o.name, state, o.config)
		o.want(state, prototest.Attributes{"fulfilled": true})
		if text, err := os.ReadFile(o.path); err != nil || string(text) != body {
			t.Errorf("the file holds %s (%v)", text, err)
		}
		o.WantEmptyPlan(accessName, state, o.config)
		o.queued(1)
	}, mocktest.AnswerData(body))
}

// While somebody else's request is pending, the data are not asked for, however often it is tried.
func TestDataAccess_isNotGivenUpBesideTheRequestOfSomebodyElse(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{accessName}, func(_ *testing.T, o *object) {
		state := o.create(atOnce)
		state, _ = o.refresh(state) // the list has shown it
		ours := o.queued(1)[0].ID
		theirs := o.enqueue()
		o.service.Conclude(ours, mockserver.Outcome{})
		for range 7 {
			<-time.After(time.Minute)
			state, _ = o.refresh(state)
			state, _ = o.MustUpdate(o.name, state, o.config.With(atOnce))
			o.want(state, prototest.Attributes{"fulfilled": false, "request_id": ours})
		}

		o.service.Conclude(theirs, mockserver.Outcome{})
		state, _ = o.refresh(state)
		state, _ = o.MustUpdate(o.name, state, o.config.With(atOnce))
		o.want(state, prototest.Attributes{"fulfilled": true, "request_id": ours})
	}, never)
}

// A service may answer with the data and queue nothing, so that no list ever shows the request.
func TestDataAccess_dataAtOnceHasAWayOut(t *testing.T) {
	t.Parallel()
	const body = `{"profile":{"plan":"gold"},"sessions":[]}`
	eachObject(t, []string{accessName}, func(t *testing.T, o *object) {
		o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Status: 200, Body: []byte(body), Times: -1})
		state, diags := o.MustCreate(accessName, o.config)
		prototest.WantText(t, diags.Warnings(), "wire.all_data.at", "change triggers")
		state, _ = o.MustRefresh(accessName, state)

		withWire(o.Provider, o.service, prototest.Attributes{"all_data": prototest.Attributes{"at": "/sessions"}})
		again := o.config.With(prototest.Attributes{"triggers": prototest.Attributes{"again": "1"}})
		state, _ = o.MustUpdate(o.name, state, again)
		o.want(state, prototest.Attributes{"fulfilled": true})
		if text, err := os.ReadFile(o.path); err != nil || string(text) != body {
			t.Errorf("the file holds %s (%v)", text, err)
		}
		o.WantEmptyPlan(accessName, state, again)
	})
}

// A file that was altered may hold the data of another person, written by another object, so
// it is not replaced. One that cannot be read may be intact.
func TestDataAccess_lostOrAlteredFileIsRequestedAnew(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(path string) error{
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, []string{accessName}, func(t *testing.T, o *object) {
				state := o.create(nil)
				outfile.Confirm(o.path) // as at the end of the process
				if err := harm(o.path); err != nil {
					t.Fatal(err)
				}
				after, diags := o.Refresh(accessName, state)
				if name == "unreadable" {
					prototest.WantText(t, diags.Errors(), "The file cannot be read", "output_path")
					wantAttributes(t, after, prototest.Attributes{"sha256": state.Attributes["sha256"]})
					return
				}

				o.NoErrors(diags)
				if after != nil {
					t.Error("the object is still in state")
				}
				prototest.WantText(t, diags.Warnings(), "requested again", "output_path")
				wantNoPerson(t, diags)

				if name == "altered" {
					prototest.WantText(t, diags.Warnings(), "only if it is a regular file", "overwrite")
					o.refused(o.config, "a file is at that path already")
					wantTheirs(t, o.path)
				}
			})
		})
	}
}

// A path that cannot be written to is refused before anything is sent, a file of somebody else
// is replaced with overwrite only, and two objects cannot use one path, whether the data of the
// first are written or still to come.
func TestDataAccess_filesOfOthersStay(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]bool{"written": true, "pending": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, []string{accessName, requestAccessName}, func(t *testing.T, o *object) {
				folder := filepath.Dir(o.path)
				missing := filepath.Join(folder, "missing", "data.json")
				for _, unwritable := range []string{folder, missing, folder + "/"} {
					o.refused(accessTo(unwritable, nil), "cannot be written")
				}
				if o.name == requestAccessName { // whose plan does not know every path
					prototest.WantText(t, o.PlanAction(o.name, accessTo("", nil)).Errors(), "at least 1")
					o.refused(accessTo("", nil), "cannot be written")
				}
				wantNothingSent(t, o.service)
				if err := os.WriteFile(o.path, []byte("theirs"), 0o600); err != nil {
					t.Fatal(err)
				}
				o.refused(o.config, "a file is at that path already", "overwrite = true")
				wantTheirs(t, o.path)

				overwriting := accessTo(o.path, prototest.Attributes{"overwrite": true, "wait_for_fulfilment": waits})
				_, diags := o.once(overwriting)
				o.NoErrors(diags)
				o.refused(overwriting.With(prototest.Attributes{"identity_id": "ada@example.com"}), "another resource of this run uses that path")
				if waits {
					wantData(t, o.path)
				} else {
					wantTheirs(t, o.path)
				}
				o.queued(1)
			})
		})
	}
}

// Data that are requested again replace the file that the object itself has written. Another path
// replaces the object, and another object leaves the file as it is.
func TestDataAccess_replacedInPlace(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{accessName}, func(t *testing.T, o *object) {
		state := o.create(nil)
		plan, _ := o.MustPlan(o.name, state, accessTo(o.path+".new", nil))
		if len(plan.Replace) != 1 || plan.Replace[0] != "output_path" {
			t.Errorf("it is replaced for %v", plan.Replace)
		}

		never(o.service.Server)
		o.service.DataRetention = time.Nanosecond
		again := accessTo(o.path, atOnce).With(on("friday"))
		state, _ = o.MustUpdate(o.name, state, again)
		o.want(state, prototest.Attributes{"fulfilled": false})
		o.service.DataRetention = time.Hour
		o.service.FulfilAll()
		state, _ = o.refresh(state)
		state, _ = o.MustUpdate(o.name, state, again)
		wantFile(t, state, o.path)
		o.WantEmptyPlan(accessName, state, again)

		withWire(o.Provider, o.service, profileInData)
		_, diags := o.Destroy(accessName, state)
		o.NoErrors(diags)
		prototest.WantText(t, diags.Warnings(), "stays where it is")
		wantNoPerson(t, diags)
		o.refused(o.config, "a file is at that path already")
		wantData(t, o.path)
	})
}

// What a killed process has put in place before Terraform recorded it is replaced by the next run,
// without overwrite, whether the file is the first one or has replaced that of the object.
func TestDataAccess_killedBeforeItIsRecorded(t *testing.T) {
	t.Parallel()
	t.Run("the first file", func(t *testing.T) {
		t.Parallel()
		eachObject(t, []string{accessName, requestAccessName}, func(t *testing.T, o *object) {
			withWire(o.Provider, o.service, profileInData)
			_, diags := o.once(o.config)
			o.NoErrors(diags)
			prototest.KillUnrecorded(t, o.path)
			o.NewRun()

			if o.name == requestAccessName {
				o.NoErrors(o.PlanAction(o.name, o.config))
			}
			state, diags := o.once(o.config)
			o.NoErrors(diags)
			if wantData(t, o.path); o.name == accessName {
				wantFile(t, state, o.path)
			}
		})
	})

	for name, before := range map[string]prototest.Attributes{"the file of a pending request": atOnce, "another file": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, []string{accessName}, func(t *testing.T, o *object) {
				withWire(o.Provider, o.service, profileInData)
				state := o.create(before)
				o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
				o.service.FulfilAll() // what the service had prepared is gone
				o.service.PutProfile(scope, person, `{"name":"Jane Canary","since":"now"}`)
				again := o.config.With(on("friday"))
				o.MustUpdate(o.name, state, again)
				prototest.KillUnrecorded(t, o.path)

				o.NewRun()
				state, diags := o.Refresh(o.name, state)
				o.NoErrors(diags)
				if before == nil { // state has the digest of the file that was replaced
					prototest.WantText(t, diags.Warnings(), "The data is requested again", "killed")
					state, _ = o.MustCreate(o.name, again)
				} else {
					state, _ = o.MustUpdate(o.name, state, again)
				}
				wantFile(t, state, o.path)
				o.NewRun()
				state, diags = o.MustRefresh(o.name, state)
				wantNoDiagnostics(t, diags)
				o.WantEmptyPlan(o.name, state, again)
			})
		})
	}
}

// A file that Terraform has recorded is not taken for one that a killed process has left.
func TestDataAccess_refreshConfirmsTheFile(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{accessName}, func(t *testing.T, o *object) {
		state, _ := o.MustCreate(o.name, o.config)
		prototest.KillUnrecorded(t, o.path)
		o.NewRun()
		state, diags := o.MustRefresh(o.name, state)
		wantNoDiagnostics(t, diags)
		if outfile.IsUnrecorded(o.path) {
			t.Error("the next run would replace it")
		}
		wantFile(t, state, o.path)
	})
}
