// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// reading is a reading that can be repeated, with other settings, from its answers.
type reading struct {
	group, check string       // of the report
	scope        client.Scope // of a list of pending requests
	way          *way         // nil for that of the report
	read         reader
	propose      func(infer.Answer) []infer.Settings
	ifRefused    func(infer.Answer) []infer.Settings // takes the place of propose where the answer refuses; nil if none does
	whenEmpty    string                              // what the report says if there was nothing to see; empty if that is what was wanted

	answers  []exchange
	isClosed bool // only the answers are read, and nothing is sent
	decoded
	err error
}

// do reads with settings. Answers that the reading has are repeated, and it has those that came besides.
func (x *examination) do(ctx context.Context, r *reading, wire client.Wire) (decoded, error) {
	t := &tape{before: r.answers, isClosed: r.isClosed}
	cfg := x.options.Client
	cfg.Around = func(pool http.RoundTripper) http.RoundTripper { t.pool = pool; return t }
	cfg.Wire, cfg.Credentials, cfg.MaxRetries = wire, r.way.credentials, min(cfg.MaxRetries, 1)
	if isLogin := r.way.credentials.Email != ""; isLogin || len(r.answers) > 0 {
		cfg.MaxRetries = 0 // a repeated failure stays one
	}
	c, err := client.New(cfg)
	if err != nil {
		return decoded{lacking: unread}, fmt.Errorf("the setting %w", err)
	}
	defer c.Close()

	d, err := r.read(ctx, c)
	t.mu.Lock()
	defer t.mu.Unlock()
	r.answers = append(r.answers, t.taken...)
	if err != nil {
		d = decoded{lacking: unread}
	}

	return d, err
}

// again reads the answers of a reading with other settings, and sends nothing.
func (x *examination) again(ctx context.Context, r reading, wire client.Wire) decoded {
	r.isClosed = true
	d, _ := x.do(ctx, &r, wire)
	return d
}

// examine reads from the service, and adopts the settings that the answers need. The report has a finding about the
// last reading that has seen something. The error is that of the reading.
func (x *examination) examine(ctx context.Context, r *reading) error {
	r.way = cmp.Or(r.way, x.use)
	r.decoded, r.err = x.do(ctx, r, x.wire)

	var best infer.Settings
	for _, s := range x.proposals(r) {
		wire, _ := x.wire.With(s) // do refuses what is wrong
		read, err := x.do(ctx, r, wire)
		if !read.improves(r.decoded) {
			continue
		}
		if best, r.decoded, r.err = s, read, err; read.lacking == 0 {
			break // nothing is better, and another one may send requests
		}
	}
	if best != nil {
		x.wire, _ = x.wire.With(best.Shortest(func(less infer.Settings) bool {
			wire, _ := x.wire.With(less)
			return x.again(ctx, *r, wire).fits(r.decoded)
		}))
	}

	key := strings.Join([]string{r.group, r.check, r.way.name}, " ")
	if cmp.Or(r.text, x.readings[key].text) == r.text { // one that has seen nothing does not take the place of one that has
		x.readings[key] = *r
	}

	return r.err
}

// proposals returns what is proposed for a reading and may be shown; only settings of its next page if it is read,
// which a longer answer needs.
func (x *examination) proposals(r *reading) (all []infer.Settings) {
	for _, s := range r.proposed() {
		s = s.Inside(x.wire.Envelope.At)
		if r.lacking == 0 {
			s = s.NextPage()
		}
		if len(s) > 0 && !x.hides(strings.Join(s.Texts(), ",")) {
			all = append(all, s)
		}
	}

	return all
}

// proposed returns what inference proposes for the first answer.
func (r *reading) proposed() []infer.Settings {
	switch {
	case len(r.answers) == 0:
		return nil
	case transport.IsClass(r.err, transport.ClassRejected, transport.ClassAuthentication, transport.ClassForbidden) && r.ifRefused != nil:
		return r.ifRefused(r.answers[0].evidence())
	}
	return r.propose(r.answers[0].evidence())
}

const limitBody = 4 << 20 // bytes of an answer that are read: a day may be long, and its end is not JSON

// exchange is an answer of the service as it came.
type exchange struct {
	response *http.Response // but for its body
	body     []byte         // its beginning
}

// evidence returns the answer for inference, without its compression. What is cut off is not JSON.
func (x exchange) evidence() infer.Answer {
	media, _, _ := mime.ParseMediaType(x.response.Header.Get("Content-Type")) // "" where it is not valid
	body := x.body
	if unpacked, err := transport.Unpack(x.response.Header, bytes.NewReader(x.body)); err == nil {
		body, _ = io.ReadAll(io.LimitReader(unpacked, limitBody)) // the beginning will do
		_ = unpacked.Close()
	}

	return infer.Answer{MediaType: media, Body: body}
}

// tape carries requests and keeps the answers, or repeats those that it has.
type tape struct {
	before   []exchange
	isClosed bool // nothing else is sent

	pool  http.RoundTripper
	mu    sync.Mutex // a login may go on when its caller has ended
	taken []exchange
}

// RoundTrip repeats the last answer that a request had before, or else sends it and takes the beginning of its answer.
func (t *tape) RoundTrip(req *http.Request) (*http.Response, error) {
	if resp := repeated(t.before, req); resp != nil {
		return resp, nil
	}
	if t.isClosed {
		return nil, errors.New("this request was not sent")
	}

	resp, err := t.pool.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, limitBody))
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = append(t.taken, exchange{resp, body})

	return repeated(t.taken, req), nil
}

// repeated returns the last answer to such a request; nil without one.
func repeated(answers []exchange, req *http.Request) *http.Response {
	const media = "Content-Type"
	for _, x := range slices.Backward(answers) {
		before := x.response.Request
		if before.Method == req.Method && before.URL.RequestURI() == req.URL.RequestURI() && before.Header.Get(media) == req.Header.Get(media) {
			again := *x.response
			again.Request, again.Header, again.Body = req, x.response.Header.Clone(), io.NopCloser(bytes.NewReader(x.body))
			return &again
		}
	}

	return nil
}

// decoded is what the provider makes of an answer.
type decoded struct {
	text    string // that describes it; empty if it holds nothing. It may hold personal data, and is compared, never shown
	lacking int    // how many fields are missing from it that the provider needs; unread if it is not read

	id       string // of a request that was accepted
	consent  decode.Consent
	requests []decode.PendingRecord
}

const unread = math.MaxInt

// fits reports whether an answer is read as it was before, with as many fields at least.
func (d decoded) fits(before decoded) bool {
	return d.text == before.text && d.lacking <= before.lacking
}

// improves reports whether an answer is read with more fields than before, or, if none was missing, as before.
func (d decoded) improves(before decoded) bool {
	if before.lacking == 0 {
		return d.fits(before)
	}
	return d.lacking < before.lacking
}

// reader is a reading of the service by the provider's own client.
type reader func(context.Context, *client.Client) (decoded, error)

func readToken(ctx context.Context, c *client.Client) (decoded, error) {
	token, _, err := c.NewSessionToken(ctx)
	return decoded{text: token}, err
}

func readUser(ctx context.Context, c *client.Client) (decoded, error) {
	_, err := c.CurrentUser(ctx)
	return decoded{text: "user"}, err
}

// person is whom readings and requests are about.
type person struct {
	client.Person
	profile  map[string]jsontext.Value // its members that are managed, or were written
	isListed bool                      // the list has shown the request for the data
}

// consent reads the consent record.
func (p *person) consent(ctx context.Context, c *client.Client) (decoded, error) {
	record, err := c.GetConsent(ctx, p.Person)
	if transport.IsClass(err, transport.ClassNotFound) {
		return decoded{}, nil
	}
	return decoded{text: fmt.Sprint(choice.PrintOf(record)), consent: record}, err
}

// written returns a reading of a consent record that was written. What the service shows otherwise than it was sent, and
// than it keeps records, is lacking.
func (p *person) written(u choice.Record, kept choice.Keeping) reader {
	return func(ctx context.Context, c *client.Client) (decoded, error) {
		d, err := p.consent(ctx, c)
		if err == nil && !d.consent.HasClauses(u.Clauses) {
			err = errors.New("the record is not the one that was written")
		}
		d.lacking = len(kept.Differences(u.Print(), choice.PrintOf(d.consent)))

		return d, err
	}
}

// overwrite returns what sends an update whatever the service holds, and once more if it is lost and not shown.
func (p *person) overwrite(u choice.Record) reader {
	isMissing := func(read choice.Reading) bool { return !read.Record.HasClauses(u.Clauses) }
	return func(ctx context.Context, c *client.Client) (decoded, error) {
		_, err := c.UpdateConsent(ctx, p.Person, client.ConsentWrite{Record: u, Blind: true, Judge: isMissing})
		return decoded{text: "written"}, err
	}
}

// readProfile reads the profile. A profile without what was written lacks something.
func (p *person) readProfile(ctx context.Context, c *client.Client) (decoded, error) {
	profile, err := c.GetProfile(ctx, p.Person, p.profile)
	if transport.IsClass(err, transport.ClassNotFound) {
		return decoded{}, nil
	}

	d := decoded{text: jsonvalue.FormatObject(profile.Members)}
	if !profile.Holds(p.profile) {
		d.lacking = 1
	}

	return d, err
}

// proposeProfile proposes where the profile is, by the members of it that are known.
func (p *person) proposeProfile(a infer.Answer) []infer.Settings {
	return infer.Profile(a, len(p.profile) > 0)
}

// nothing makes a reading want to see that there is nothing.
func nothing(of reader) reader {
	return func(ctx context.Context, c *client.Client) (decoded, error) {
		d, err := of(ctx, c)
		if d.text != "" && d.text != "{}" {
			err = cmp.Or(err, errors.New("the service shows something about a person of whom there is nothing"))
		}
		return decoded{text: "nothing"}, err
	}
}

// submit returns what sends a request that the service queues. The request for all data is the one that fetches them: before
// the list has shown the request, data count only where the settings say they are.
func (p *person) submit(requestType string) reader {
	return func(ctx context.Context, c *client.Client) (d decoded, err error) {
		var receipt decode.Receipt
		switch requestType {
		case decode.RequestProfileUpdate:
			receipt, err = c.UpdateProfile(ctx, p.Person, p.profile)
		case decode.RequestDataAccess:
			receipt, err = c.FetchData(ctx, p.Person, decode.DataCall{Person: p.Identity, Seen: p.isListed}, io.Discard)
		case decode.RequestDataDeletion:
			receipt, err = c.DeleteData(ctx, p.Person)
		}
		d.id = receipt.ID
		if receipt.Delivered {
			d.text = "data"
		}
		if receipt.NotUnderstood != "" {
			d.lacking = 1
		}

		return d, err
	}
}

// readPending reads the pending requests of a scope, each with its ID, type, person and status. Without an ID, its time
// tells it from another one.
func readPending(scope client.Scope) reader {
	return func(ctx context.Context, c *client.Client) (d decoded, _ error) {
		list, err := c.ListPending(ctx, scope)
		if list.Gap != "" {
			err = &transport.Error{Class: transport.ClassPayload, Detail: list.Gap}
		}

		var texts []string
		for _, r := range list.Records {
			fields := []string{r.ID, r.RequestType, r.Identity, ""}
			if r.Progress != decode.Unclear {
				fields[3] = r.Progress
			}
			if r.ID == "" && !r.CreatedAt.IsZero() {
				fields = fields[1:]
			}
			known := slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return field == "" })
			d.lacking += len(fields) - len(known)
			texts = append(texts, strings.Join(known, " "))
		}
		d.text, d.requests = strings.Join(texts, "; "), list.Records

		return d, err
	}
}

// readDay reads the beginning of the export of a day, or that of each kind if a parameter selects the kind.
func readDay(project client.Scope, day time.Time) reader {
	return func(ctx context.Context, c *client.Client) (d decoded, _ error) {
		result, err := c.Export(ctx, project, client.ExportQuery{Day: day, Kinds: records.Kinds}, readSome)
		if !transport.IsError(err) { // enough records were read
			err = nil
		}

		var parts []string
		for _, kind := range records.Kinds {
			if n := result.Counts[kind]; n > 0 {
				parts = append(parts, fmt.Sprint(n, " ", kind.Plural()))
			}
		}

		return decoded{text: strings.Join(parts, ", ")}, err
	}
}

// readSome reads the first records of a day.
func readSome(all client.Records) error {
	n := 0
	for range all {
		if n++; n == 100 {
			break
		}
	}
	return nil
}
