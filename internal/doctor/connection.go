package doctor

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Limits beyond which a finding differs.
const (
	// certificateWarning is the remaining life of a certificate below which a finding differs.
	certificateWarning = 14 * 24 * time.Hour
	// skewWarning is how far the clocks may differ. The end of a day and agreement_time
	// depend on them.
	skewWarning = time.Minute
)

// examineConnection reports on the connection to the service, as its first answer shows it.
func (x *examination) examineConnection() {
	x.examineProxy()

	heads := x.seen.all()
	if len(heads) == 0 {
		return // why there is no answer was reported with the request
	}

	first := heads[0]
	x.examineName()
	x.examineTLS(first)
	x.examineClock(first)
	x.report.add(GroupConnection, "HTTP version", OK, first.Protocol)
}

func (x *examination) examineProxy() {
	if len(x.clients) == 0 {
		return
	}

	host, err := x.clients[0].Proxy()
	switch {
	case err != nil:
		x.report.add(GroupConnection, "proxy", Broken, err.Error())
	case host != "":
		x.report.add(GroupConnection, "proxy", OK, "requests go through "+host)
	default:
		x.report.add(GroupConnection, "proxy", OK, "none")
	}
}

func (x *examination) examineName() {
	if x.seen.resolved {
		x.report.add(GroupConnection, "name resolution", OK, counted(x.seen.addresses, "address", "addresses"))
		return
	}
	x.report.add(GroupConnection, "name resolution", OK, "not needed on this machine")
}

func (x *examination) examineTLS(first client.Head) {
	if first.TLS == nil {
		x.report.add(GroupConnection, "TLS", OK, "none, plain HTTP on this machine")
		return
	}

	expires := first.TLS.PeerCertificates[0].NotAfter
	left := expires.Sub(first.Received)
	text := fmt.Sprintf("%s, the certificate expires on %s, in %s",
		tls.VersionName(first.TLS.Version), expires.UTC().Format(time.DateOnly), counted(int(left.Hours()/24), "day", "days"))

	word := OK
	if left < certificateWarning {
		word = Differs
	}
	x.report.add(GroupConnection, "TLS", word, text)
}

func (x *examination) examineClock(first client.Head) {
	if first.Date.IsZero() {
		x.report.add(GroupConnection, "clock", Unknown, "the answers have no Date; whether a day is over depends on this machine's clock alone")
		return
	}

	// Date has whole seconds, cut off.
	skew := first.Received.Sub(first.Date)
	if skew > 0 {
		skew = max(0, skew-time.Second)
	}
	if skew.Abs() < skewWarning {
		x.report.add(GroupConnection, "clock", OK, "the clocks of the service and this machine agree within "+roundedUp(skew))
		return
	}

	word := "behind"
	if skew < 0 {
		word = "ahead of"
	}
	x.report.add(GroupConnection, "clock", Differs, fmt.Sprintf(
		"the clock of the service is %s %s this machine's; times that you write, such as agreement_time, and the end of a day may be off", skew.Abs().Round(time.Second), word))
}

// roundedUp returns a duration in whole seconds, at least one.
func roundedUp(d time.Duration) string { return (d.Abs().Truncate(time.Second) + time.Second).String() }

// examineLimits reports what answers said about rate limits.
func (x *examination) examineLimits() {
	limits := x.seen.limits()

	var fields []string
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if limits[name] != "" {
			name += " " + limits[name]
		}
		fields = append(fields, name)
	}

	slow := slices.ContainsFunc(x.seen.all(), func(h client.Head) bool { return h.Status == http.StatusTooManyRequests })
	switch {
	case slow:
		x.report.add(GroupLimits, "rate limit", Differs, "the service answered 429 during this examination; set requests_per_second ("+list(fields)+")")
	case len(fields) > 0:
		x.report.add(GroupLimits, "rate limit", OK, "stated in "+list(fields)+"; requests_per_second keeps below a limit")
	default:
		x.report.add(GroupLimits, "rate limit", OK, "no answer states one")
	}
}

// counted returns a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
