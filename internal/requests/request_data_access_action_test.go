// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const (
	requestAccessName = "analytics_request_data_access"
	accessAccepted    = `The service accepted the data access request as request "request-1". It cannot be cancelled.`
)

// wantWrittenFile fails the test if the file does not hold the person's data, or the last
// message of the action does not describe it.
func wantWrittenFile(t *testing.T, invoked prototest.Invocation, path string) {
	t.Helper()
	content := wantData(t, path)
	sum := sha256.Sum256(content)
	want := "Written: " + strconv.Itoa(len(content)) + " bytes, SHA-256 " + hex.EncodeToString(sum[:]) + "."
	if last := invoked.Progress[len(invoked.Progress)-1]; last != want {
		t.Errorf("the last message is %q, want %q", last, want)
	}
	wantDiscreet(t, invoked, path)
}

func wantNoFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) > 0 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestRequestDataAccess_planSendsAndWritesNothing(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := output(t)
	diags := p.PlanAction(requestAccessName, accessTo(path, nil))
	if texts := append(diags.Errors(), diags.Warnings()...); len(texts) > 0 {
		t.Errorf("the plan says %q", texts)
	}
	wantNothingSent(t, service)
	wantNoFile(t, path)
}

func TestRequestDataAccess_writesTheDataOnceTheyAreReady(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := output(t)
	invoked := p.Invoke(requestAccessName, accessTo(path, nil))
	p.NoErrors(invoked.Diagnostics)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
	if len(invoked.Progress) != 2 || invoked.Progress[0] != accessAccepted {
		t.Errorf("the messages are %q", invoked.Progress)
	}
	wantWrittenFile(t, invoked, path)
}

// profileInData are settings by which the data of the mock server are recognised.
var profileInData = prototest.Attributes{"all_data_member": "profile"}

func TestRequestDataAccess_dataThatAreReadyAreWrittenAtOnce(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	p.NoErrors(p.Invoke(requestAccessName, accessTo(output(t), nil)).Diagnostics)
	path := output(t)
	withWire(p, service, profileInData)
	invoked := p.Invoke(requestAccessName, accessTo(path, nil))
	p.NoErrors(invoked.Diagnostics)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
	if len(invoked.Progress) != 1 {
		t.Errorf("the messages are %q", invoked.Progress)
	}
	wantWrittenFile(t, invoked, path)
}

func TestRequestDataAccess_notAwaitedIsFetchedByALaterInvocation(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	path := output(t)
	invoked := p.Invoke(requestAccessName, accessTo(path, atOnce))
	p.NoErrors(invoked.Diagnostics)
	wantProgress(t, invoked, accessAccepted)
	wantNoFile(t, path)

	service.FulfilAll()
	withWire(p, service, profileInData)
	invoked = p.Invoke(requestAccessName, accessTo(path, atOnce))
	p.NoErrors(invoked.Diagnostics)
	wantWrittenFile(t, invoked, path)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

func TestRequestDataAccess_endsWithoutAFile(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		configure func(*mockserver.Server)
		fault     mockserver.Fault
		errors    []string
		queued    int
	}{
		"time is over": {configure: never, errors: []string{"Accepted and still pending", `"request-1"`, "There is no file", "invoke the action again later"}, queued: 1},
		"never listed": {configure: outcome(mockserver.Outcome{After: -1}), errors: []string{"nothing shows that it was carried out", `"request-1"`, "There is no file", "wire.all_data_member"}, queued: 1},
		"failed later": {configure: outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD"}), errors: []string{"request-1", "E_HOLD"}, queued: 1},
		"refused":      {configure: never, fault: mockserver.Fault{Status: 422, Body: []byte(`{"error":{"code":"E_LEGAL_HOLD"}}`)}, errors: []string{"E_LEGAL_HOLD"}},
		"never given":  {configure: func(s *mockserver.Server) { s.DataRetention = 1 }, errors: []string{"The service gave no data", "run again once that request is carried out", "request-2"}, queued: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, tc.configure)
			if tc.fault.Status != 0 {
				tc.fault.Operation = mockserver.OpGetAllData
				service.Inject(tc.fault)
			}
			path := output(t)
			invoked := p.Invoke(requestAccessName, accessTo(path, invokeWithin("2s")))
			prototest.WantText(t, invoked.Errors(), tc.errors...)
			wantQueued(t, service, mockserver.OpGetAllData, tc.queued)
			wantNoFile(t, path)
			wantDiscreet(t, invoked, path)
		})
	}
}

func TestRequestDataAccess_unusableTargetIsRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	theirs := filepath.Join(folder, "theirs")
	if err := os.WriteFile(theirs, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	p, service := start(t)
	missing := filepath.Join(folder, "missing", "data.json")
	for _, path := range []string{folder, missing, theirs} {
		planned := p.PlanAction(requestAccessName, accessTo(path, nil))
		if path == missing { // the folder may be made until then
			p.NoErrors(planned)
		} else {
			prototest.WantText(t, planned.Errors(), "Nothing was sent", "output_path")
		}

		invoked := p.InvokePlanned(t.Context(), requestAccessName, accessTo(path, nil), func(string) bool { return true })
		prototest.WantText(t, invoked.Errors(), "Nothing was sent", "output_path")
		wantDiscreet(t, invoked, path)
	}
	p.NoErrors(p.PlanAction(requestAccessName, accessTo("", nil).With(prototest.Attributes{"output_path": prototest.Unknown})))
	wantNothingSent(t, service)
	wantTheirs(t, theirs)

	invoked := p.Invoke(requestAccessName, accessTo(theirs, prototest.Attributes{"overwrite": true}))
	p.NoErrors(invoked.Diagnostics)
	wantWrittenFile(t, invoked, theirs)

	another := accessTo(theirs, prototest.Attributes{"overwrite": true, "identity_id": "ada@example.com"})
	prototest.WantText(t, p.Invoke(requestAccessName, another).Errors(), "Two resources write the same file")
}

func TestRequestDataAccess_interruptComesAfterTheID(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	path := output(t)
	invoked := p.InvokePlanned(t.Context(), requestAccessName, accessTo(path, nil), func(string) bool {
		p.Stop()
		return true
	})
	wantProgress(t, invoked, accessAccepted)
	prototest.WantText(t, invoked.Errors(), "Interrupted while waiting", "There is no file")
	wantQueued(t, service, mockserver.OpGetAllData, 1)
	wantNoFile(t, path)
}
