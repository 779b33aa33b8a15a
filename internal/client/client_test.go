// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestLocks_updatesOfOnePersonDoNotInterleave(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Latency = 10 * time.Millisecond
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { _, _, _ = updateConsent(t.Context(), c, jane, protected()) })
		}
		wg.Wait()

		wantCount(t, service, mockserver.OpUpdateConsent, 50)
		for i, r := range service.Requests() {
			if r.Operation != []string{mockserver.OpGetConsent, mockserver.OpUpdateConsent}[i%2] {
				t.Fatalf("request %d is %s: a comparison and its write were torn apart", i, r.Operation)
			}
		}
	}, useSecretKey)
}

func FuzzParseDay(f *testing.F) {
	for _, text := range []string{"2026-02-28", "2026-02-30", "2026-2-3", "today", "", "2026-03-01T00:00:00Z", "0000-01-01", "２０２６-01-01"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		day, err := client.ParseDay(text)
		if err != nil {
			return
		}

		if len(text) != 10 || client.FormatDay(day) != text || day.Location() != time.UTC {
			t.Errorf("%q is %v", text, day)
		}
	})
}

const allClauses = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`

// TestErrors_showNobody has a service that repeats what was sent, a member that has the form of a field's name
// and is the person, and a failure with the person in its code.
func TestErrors_showNobody(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpListPendingRequests, Body: []byte(`[{"id":"r-1","identityId":"customer-4711","error":{"code":"E7-Customer-4711"}}]`)},
			mockserver.Fault{Operation: mockserver.OpGetProfile, Body: []byte(`{"owner":{"plan":"gold"}}`)},
			mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 413, Body: []byte(`{"message":"no Jane Canary here"}`)},
			mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 400, Body: []byte(`{"message":"not 192.0.2.77, not MTkyLjAuMi43Nw"}`)})

		list, err := c.ListPending(t.Context(), scope)
		if noError(t, err); list.Gap != "" || len(list.Records) != 1 || list.Records[0].Code != "E7-[redacted]" {
			t.Errorf("%+v", list)
		}
		_, err = c.GetProfile(t.Context(), client.Person{Scope: scope, Identity: "owner"}, map[string]jsontext.Value{"plan": jsontext.Value(`"gold"`)})
		if e := wantClass(t, err, transport.ClassPayload); strings.Contains(e.Error(), "owner") || !strings.Contains(e.Detail, "wire.profile.at") {
			t.Errorf("the error is %v", e)
		}
		_, err = c.UpdateProfile(t.Context(), jane, map[string]jsontext.Value{"of": jsontext.Value(`{"names":["Jane Canary"]}`)})
		if e := wantClass(t, err, transport.ClassRequestTooLarge); !strings.Contains(e.Detail, "the value of profile") || e.Message == "" || strings.Contains(e.Message, "Canary") {
			t.Errorf("the error is %v", e)
		}
		addressed := unprotected()
		addressed.Wanted.UserIPv6 = netip.MustParseAddr("192.0.2.77")
		_, _, err = updateConsent(t.Context(), c, jane, addressed)
		if e := wantClass(t, err, transport.ClassRejected); e.Message == "" || strings.Contains(e.Message, "192.0") || strings.Contains(e.Message, "MTky") {
			t.Errorf("it says %q", e.Message)
		}
	}, useSecretKey)
}

// TestChange_statusOfWhatIsNotDone has 425 (RFC 8470), after which nothing was carried out, 303, which leaves open
// what was queued, and 206, which is not a success.
func TestChange_statusOfWhatIsNotDone(t *testing.T) {
	t.Parallel()

	for operation, change := range changes() {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			sends := map[bool]int{true: 5, false: 1}[operation == mockserver.OpUpdateConsent]
			service.Inject(mockserver.Fault{Operation: operation, Status: 425, Times: sends})
			if e := wantClass(t, change(t.Context(), c), transport.ClassTooEarly); e.Ambiguous || e.Attempts != sends {
				t.Errorf("%s: %+v", operation, e)
			}
			service.Inject(mockserver.Fault{Operation: operation, Status: 303, Header: http.Header{"Location": {"/queued"}}}) // may lead to what was queued
			if e := wantClass(t, change(t.Context(), c), transport.ClassRedirect); e.Ambiguous != (operation != mockserver.OpUpdateConsent) {
				t.Errorf("%s: %+v", operation, e)
			}
			service.Inject(mockserver.Fault{Operation: operation, Status: 206, Body: []byte(`{"id":"1"}`)}, mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403})
			_ = wantClass(t, change(t.Context(), c), transport.ClassPayload, transport.ClassUnknownOutcome)
		}, useSecretKey)
	}
}

// TestChange_isDecidedByItsEffect has a word of failure at wire.result.at, which refuses a reading. Of a
// change, it says only that the answer is not understood.
func TestChange_isDecidedByItsEffect(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		for _, operation := range []string{mockserver.OpUpdateConsent, mockserver.OpDeleteAllData} {
			service.Inject(mockserver.Fault{Operation: operation, Body: []byte(`{"code":"50000"}`), Header: jsonHeader(), Then: func() { service.PutConsent(serverScope, person, held) }})
		}

		noError(t, update(t.Context(), c))
		receipt, err := c.DeleteData(t.Context(), jane)
		if noError(t, err); receipt.NotUnderstood == "" {
			t.Errorf("the receipt is %+v", receipt)
		}

		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Body: []byte(`{"code":"50000",` + allClauses + `}`), Header: jsonHeader()})
		_, err = c.GetConsent(t.Context(), jane)
		_ = wantClass(t, err, transport.ClassRejected)
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Body: []byte(`{"code":"50000","id":1}`), Header: jsonHeader()})
		_, err = c.CurrentUser(t.Context())
		_ = wantClass(t, err, transport.ClassRejected)
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
		cfg.Wire.Result = decode.Result{At: "/code", Success: []string{"0"}}
	})
}

// TestFetchData_withoutTheList has a list that nobody reads, so that nothing would show what an answer is.
func TestFetchData_withoutTheList(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		_, err := c.FetchData(t.Context(), jane, decode.DataCall{}, &strings.Builder{})
		if e := wantClass(t, err, transport.ClassInvalid); !strings.Contains(e.Detail, "wire.all_data.at") {
			t.Errorf("it says %q", e.Detail)
		}
		wantCount(t, service, "", 0)
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.Pending.Use = client.ListIgnored })
}

// TestFetchData_ofAnotherForm has data that are not JSON, which are written as they come, and others that
// are not whole or not complete.
func TestFetchData_ofAnotherForm(t *testing.T) {
	t.Parallel()

	const text = "name\nJane\n"
	for name, c := range map[string]struct {
		fault  mockserver.Fault
		header []string
		class  transport.ErrorClass
		says   string
	}{
		"a part":          {fault: mockserver.Fault{Body: []byte(`{"persons":[{"id":"Jane"}]}`)}, header: []string{"Content-Type", "application/json", "Link", `<?page=2>; rel=next`}, class: transport.ClassPayload, says: "wire.all_data.at"},
		"a part, perhaps": {fault: mockserver.Fault{Body: []byte(`{"persons":[{"id":"Jane"}]}`)}, header: []string{"Content-Type", "application/json", "Link", `?page=2; rel=next`}, class: transport.ClassPayload, says: "wire.all_data.at"},
		"data":            {fault: mockserver.Fault{Body: []byte(text)}},
		"of another way":  {fault: mockserver.Fault{Status: 202, Body: []byte(text)}, class: transport.ClassNotJSON},
		"of another form": {fault: mockserver.Fault{Body: []byte(text)}, header: []string{"Content-Type", "text/tab-separated-values"}, class: transport.ClassNotJSON, says: `wire.all_data.media_type = "text/tab-separated-values"`},
		"an archive":      {fault: mockserver.Fault{Body: []byte(strings.Repeat("PK Jane", 20<<10))}, header: []string{"Content-Type", "application/zip"}, class: transport.ClassNotJSON, says: `wire.all_data.media_type = "application/zip"`},
		"plain text":      {fault: mockserver.Fault{Body: []byte(text)}, header: []string{"Content-Type", "text/plain"}, class: transport.ClassNotJSON},
		"nothing":         {fault: mockserver.Fault{Body: []byte{}}, class: transport.ClassTruncated},
		"without an end":  {fault: mockserver.Fault{Body: []byte(text), Cut: mockserver.CutCloseDelimited, CutAt: 5}, class: transport.ClassTruncated},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
			c.fault.Operation, c.fault.Header = mockserver.OpGetAllData, jsonHeader(append([]string{"Content-Type", "text/csv; charset=utf-8"}, c.header...)...)
			service.Inject(c.fault)
			var file strings.Builder
			receipt, err := cl.FetchData(t.Context(), jane, decode.DataCall{Seen: true}, &file)
			if c.class != "" {
				isOpen := !strings.HasPrefix(name, "a part") // which is the answer, and not understood
				if e := wantClass(t, err, c.class); strings.Contains(e.Describe(), "Jane") || !strings.Contains(e.Detail, c.says) || e.Ambiguous != isOpen {
					t.Errorf("%s: it says %q", name, e.Describe())
				}
			} else if err != nil || !receipt.Delivered || file.String() != text {
				t.Errorf("%s: %+v, %v, %q", name, receipt, err, file.String())
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.AllData.MediaType = "text/csv" })
	}
}
