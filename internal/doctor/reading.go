// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

const limitBody = 1 << 20 // bytes of an answer that are kept: a day may be long

// exchange is an answer of the service as it came.
type exchange struct {
	request  string         // by which the answer is found again: method, path and query
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

// session carries requests, and keeps the answers.
type session struct {
	way      *way
	isPlain  bool           // without the settings that were found
	more     infer.Settings // besides those that were found
	before   []exchange     // answers that are repeated and not asked for again
	isClosed bool           // nothing else is sent

	pool  http.RoundTripper
	mu    sync.Mutex // a login may go on for others
	taken []exchange
}

// do reads in a session of its own.
func (x *examination) do(ctx context.Context, in *session, read reader) (d decoded, err error) {
	cfg := x.options.Client
	cfg.Around = func(pool http.RoundTripper) http.RoundTripper { in.pool = pool; return in }
	cfg.Credentials, cfg.MaxRetries = in.way.credentials, min(cfg.MaxRetries, 1)
	if isLogin := in.way.credentials.Email != ""; isLogin || len(in.before) > 0 {
		cfg.MaxRetries = 0 // a repeated failure stays one
	}
	if !in.isPlain {
		cfg.Wire, err = x.wire.With(in.more)
	}
	var c *client.Client
	if err == nil {
		c, err = client.New(cfg)
	}
	if err != nil {
		return decoded{lacking: unread}, fmt.Errorf("the setting %w", err)
	}
	defer c.Close()

	d, err = read(ctx, c)
	in.mu.Lock()
	defer in.mu.Unlock()
	x.report.Requests += len(in.taken)
	if err != nil {
		return decoded{lacking: unread}, err
	}

	return d, nil
}

// RoundTrip repeats the last answer that a request had before, or else carries it and keeps the beginning of its answer.
func (in *session) RoundTrip(req *http.Request) (*http.Response, error) {
	request := req.Method + " " + req.URL.RequestURI()
	for _, x := range slices.Backward(in.before) {
		if x.request == request {
			again := *x.response
			again.Header, again.Request, again.Body = again.Header.Clone(), req, io.NopCloser(bytes.NewReader(x.body))
			return &again, nil
		}
	}
	if in.isClosed {
		return nil, errors.New("this request was not sent")
	}

	resp, err := in.pool.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	begin, err := io.ReadAll(io.LimitReader(resp.Body, limitBody))
	kept := *resp
	kept.Header = resp.Header.Clone()
	if err != nil || len(begin) == limitBody {
		kept.ContentLength = -1
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), resp.Body), resp.Body} // which repeats its error

	in.mu.Lock()
	defer in.mu.Unlock()
	in.taken = append(in.taken, exchange{request, &kept, begin})

	return resp, nil
}

// reading is a reading that can be repeated, with other settings, from its answers.
type reading struct {
	group, check string // of the report
	way          *way   // nil for that of the report
	read         reader
	propose      func(infer.Answer) []infer.Settings
	whenEmpty    string // what the report says if there was nothing to see; empty if that is what was wanted

	answers []exchange
	decoded
	err error
}

// examine reads from the service, and adopts the settings that the answers need. The report has a finding about the
// last reading that has seen something. The error is that of the reading.
func (x *examination) examine(ctx context.Context, r *reading) error {
	r.way = cmp.Or(r.way, x.use)
	in := &session{way: r.way}
	r.decoded, r.err = x.do(ctx, in, r.read)
	r.answers = in.taken
	if best := x.fitting(ctx, r); best != nil {
		x.wire, _ = x.wire.With(best.Shortest(func(less infer.Settings) bool { // it was tried
			read, _ := x.do(ctx, &session{way: r.way, more: less, before: r.answers, isClosed: true}, r.read)
			return read.fits(r.decoded)
		}))
	}

	key := r.group + " " + r.check + " " + r.way.name
	if r.text != "" || x.readings[key].text == "" {
		x.readings[key] = *r
	}

	return r.err
}

// fitting returns settings with which the answers of a reading are read, or read with more fields; nil if there are
// none. Of an answer that is read it returns where the address of the next page is, which a longer one needs.
func (x *examination) fitting(ctx context.Context, r *reading) (best infer.Settings) {
	wasRead := r.lacking == 0
	for _, s := range x.proposals(r) {
		if best != nil && r.lacking == 0 {
			break // nothing is better, and another one may send requests
		}
		in := &session{way: r.way, more: s, before: r.answers}
		read, err := x.do(ctx, in, r.read)
		isBetter := read.lacking < r.lacking
		if wasRead { // only more of it is wanted
			isBetter = read.fits(r.decoded)
		}
		if isBetter {
			best, r.decoded, r.err, r.answers = s, read, err, append(r.answers, in.taken...)
		}
	}

	return best
}

// proposals returns what is proposed for a reading and may be shown; only settings of its next page if it is read.
func (x *examination) proposals(r *reading) (all []infer.Settings) {
	if len(r.answers) == 0 {
		return nil
	}
	for _, s := range r.propose(r.answers[0].evidence()) {
		s = s.Inside(x.wire.Envelope.At)
		if r.lacking == 0 {
			s = s.NextPage()
		}
		if len(s) > 0 && !slices.ContainsFunc(s.Texts(), x.hides) {
			all = append(all, s)
		}
	}

	return all
}

// conclude adds a finding about each reading, and one about the settings in the end.
func (x *examination) conclude(ctx context.Context) {
	x.report.Wire = x.wire.Minimal()
	if !reflect.DeepEqual(x.report.Wire, x.options.Client.Wire.Minimal()) {
		x.report.add("Settings", "wire", Differs, "the block below has settings that are not configured")
	}

	for _, key := range slices.Sorted(maps.Keys(x.readings)) {
		r := x.readings[key]
		word, text := x.verdict(ctx, r)
		if r.group == access {
			text = "with " + r.way.name + ": " + text
		}
		if r.group == access && x.use != nil && !slices.Contains(r.way.accepted, r.check) {
			word = Differs // other credentials are accepted, or the other path family
		}
		x.report.add(r.group, r.check, word, text)
	}
	slices.SortStableFunc(x.report.Findings, func(a, b Finding) int { return cmp.Compare(a.Group, b.Group) })
}

// verdict reads the answers to a reading once more, with the settings in the end, by which they have to be read as they
// were, and without them. What an answer consists of shows why settings are needed.
func (x *examination) verdict(ctx context.Context, r reading) (Word, string) {
	last, _ := x.do(ctx, &session{way: r.way, before: r.answers, isClosed: true}, r.read)
	plain, _ := x.do(ctx, &session{way: r.way, before: r.answers, isClosed: true, isPlain: true}, r.read)
	switch {
	case r.err != nil:
		return Broken, x.describe(r.err) + "; no setting was found with which it is read"
	case !last.fits(r.decoded):
		return Broken, "the answer is read with its own settings, and not with all of them together"
	case last.lacking > 0:
		return Differs, "it is read, but not every field that the provider needs; no setting was found that names the others"
	case r.whenEmpty != "" && r.text == "":
		return Unknown, r.whenEmpty
	case plain.fits(last):
		return OK, "read as configured"
	}

	text := "read with the wire settings below"
	v, err := jsonvalue.Parse(r.answers[len(r.answers)-1].evidence().Body)
	if structure := decode.Structure(v); err == nil && !x.hides(structure) {
		text += "; the answer is " + structure
	}

	return Differs, text
}
