// SPDX-License-Identifier: MPL-2.0

package client

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// answered returns the answer of an endpoint with a header.
func answered(escaped string, header http.Header) transport.Answer {
	return transport.Answer{Exchange: transport.Exchange{To: transport.Endpoint{Escaped: escaped}}, Header: header}
}

// TestPages_whereTheNextPageIs has what an answer says of the next page of a day of events, and the
// query that asks for it, or the error.
func TestPages_whereTheNextPageIs(t *testing.T) {
	t.Parallel()

	const day = "kind=event&utcDate=2026-01-31"
	for _, c := range []struct {
		link, next, want string
		header           http.Header
	}{
		{},
		{next: `null`},
		{link: `<?page=2>; rel=prev`},
		{link: `</next>; rel="nextday", <x>; rev=next, <y>; anchor="next"; crossorigin`},
		{link: `</a,b;rel=next>; rel=style`},
		{link: `</x>; rel="prev`},
		{header: http.Header{"X-Next-Page": {""}, "X-Total-Count": {"0"}}},

		{link: `<https://h.example.com/base/v1/x%2Fy/export?` + day + `&page=2>; rel=next`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{link: `<https://H.EXAMPLE.COM/base/v1/x%2fy/export?page=2>; rel=next`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{link: `</base/v1/x%2Fy/%65xport?page=2&apiSecretToken=theirs&APISECRETTOKEN=x>; rel=next`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{link: `<?page=2>; rel=next`, next: `"/base/v1/x%2Fy/export?page=2"`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{next: `"?cursor=a%2Bb%20c"`, want: "cursor=a%2Bb+c&" + day},

		{link: ` , <https://h.example.com/?page=1>; rel="prev", <?page=2>;; title=Page 2; REL="last NEXT";,`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{link: `<?page=2>; title="a, b; rel=\"next\""; rel=next, <?page=2>; rel=next`, want: "kind=event&page=2&utcDate=2026-01-31"},

		{link: `<?page=2>; rel=next, <?page=3>; rel=next`, want: "more than one next page"},
		{link: `</x>; rel="next`, want: "cannot be read"},
		{link: `</2>; title="5" screens"; rel="next"`, want: "cannot be read"},
		{link: `</x> rel=next`, want: "cannot be read"},
		{link: `/x; rel=next`, want: "cannot be read"},
		{link: `<?page=2>; rel=next`, next: `"?page=3"`, want: "more than one next page"},
		{link: `<http://h.example.com/base/v1/x%2Fy/export?page=2>; rel=next`, want: "another address"},
		{link: `<//other.example.com/base/v1/x%2Fy/export?page=2>; rel=next`, want: "another address"},
		{link: `<https://u@h.example.com/base/v1/x%2Fy/export?page=2>; rel=next`, want: "another address"},
		{link: `<https://h.example.com:8443/base/v1/x%2Fy/export?page=2>; rel=next`, want: "another address"},
		{link: `</base/v1/x%2Fy/export/?page=2>; rel=next`, want: "another address"},
		{link: `<?utcDate=2026-02-01>; rel=next`, want: "another utcDate"},
		{link: `<?kind=person&page=2>; rel=next`, want: "another kind"},
		{link: `<?` + day + `>; rel=next`, want: "lead back to one that was read"},
		{link: `<?a=1;b=2>; rel=next`, want: "cannot be read"},
		{link: `<?page=2; rel=next`, want: "cannot be read"},
		{next: `2`, want: "another address"},
		{next: `{"href":"?page=2"}`, want: "is not an address"},
		{header: http.Header{"Content-Range": {"items 0-0/2"}}, want: "the header Content-Range says"},
		{next: `"https://h.example.com/%zz"`, want: "is not an address"},
		{header: http.Header{"X-Next-Page": {"2"}}, want: "the header X-Next-Page says"},
	} {
		own := url.Values{"utcDate": {"2026-01-31"}, "kind": {"event"}}
		p := &pages{base: "https://h.example.com/base", own: own, query: own.Encode()}
		header := http.Header{"Link": {c.link}}
		maps.Copy(header, c.header)

		more, err := p.follow(answered("/v1/x%2Fy/export", header), jsontext.Value(c.next), nil, 0)
		got := ""
		if err != nil {
			got = err.Error()
		} else if more {
			got = p.query
		}
		if got != c.want && (err == nil || c.want == "" || !strings.Contains(got, c.want)) || strings.Contains(got, "theirs") {
			t.Errorf("%s %s %v: %q, want %q", c.link, c.next, c.header, got, c.want)
		}
	}
}

// TestPages_everyRecordThatIsCounted has a page of two records and one of one, and what both count.
func TestPages_everyRecordThatIsCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, total, want string }{
		{"", "", "<nil>"},
		{"3", "", "<nil>"},
		{"", "3", "<nil>"},
		{"", `"2"`, "<nil>"},
		{"", "null", "<nil>"},
		{"4", "", "counts 4 records, and there are 3"},
		{"", `"7"`, "counts 7 records"},
		{"", `"many"`, "not a whole number"},
	} {
		p := &pages{base: "https://h.example.com"}
		header, total := http.Header{"X-Total-Count": {c.header}}, jsontext.Value(c.total)
		_, _ = p.follow(answered("", http.Header{"Link": {"<?page=2>; rel=next"}}), nil, total, 2)
		if _, err := p.follow(answered("", header), nil, total, 1); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestPages_areBounded(t *testing.T) {
	t.Parallel()
	p := &pages{base: "https://h.example.com"}

	for i := 2; ; i++ {
		more, err := p.follow(answered("", http.Header{"Link": {"<?page=" + strconv.Itoa(i) + ">; rel=next"}}), nil, nil, 0)
		if isLast := i == limitPages+1; more == isLast || (err != nil) != isLast {
			t.Fatalf("page %d: %t, %v", i, more, err)
		}
		if !more {
			return
		}
	}
}
