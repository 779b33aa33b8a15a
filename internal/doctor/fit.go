// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// reading is a reading that can be repeated with other settings from the answers that it had.
type reading struct {
	group, check string // of the report
	way          *way   // nil for that of the report
	read         reader
	propose      func(infer.Answer) []infer.Settings
	whenEmpty    string // what the report says if there was nothing to see; empty if that is what was wanted

	answers []exchange
	decoded decoded
	err     error
	differs bool // other settings than before are needed
}

// examine reads from the service, and adopts settings that fit the answers, without those that it does not need.
func (x *examination) examine(ctx context.Context, r *reading) (decoded, error) {
	r.way = cmp.Or(r.way, x.use)
	r.decoded, r.answers, r.err = x.do(ctx, session{way: r.way, wire: x.wire}, r.read)
	if best := x.fitting(ctx, r); best != nil {
		before := x.wire
		x.wire, _ = x.wire.With(best.Shortest(func(less infer.Settings) bool { // it was tried
			read, _, err := x.with(ctx, less, r, true)
			return err == nil && read.isSame(r.decoded)
		}))
		r.differs = !reflect.DeepEqual(before, x.wire)
	}

	if r.err == nil {
		isSame := func(other *reading) bool { return r.group == other.group && r.check == other.check }
		x.readings = append(slices.DeleteFunc(x.readings, isSame), r)
	}

	return r.decoded, r.err
}

// fitting returns settings with which the answers of a reading are read, or read with more fields; nil if there are
// none. Of an answer that is read it returns where the address of the next page is, which a longer one needs.
func (x *examination) fitting(ctx context.Context, r *reading) (best infer.Settings) {
	isRead := r.err == nil && r.decoded.lacking == 0
	for _, s := range x.proposals(r, isRead) {
		if best != nil && r.decoded.lacking == 0 {
			break // nothing is better, and another one may send requests
		}
		read, more, err := x.with(ctx, s, r, false)
		isBetter := r.err != nil || read.lacking < r.decoded.lacking
		if isRead { // only more of it is wanted
			isBetter = read.isSame(r.decoded)
		}
		if err == nil && isBetter {
			best, r.decoded, r.err = s, read, nil
			r.answers = append(r.answers, more...)
		}
	}

	return best
}

// proposals returns the settings that are proposed for a reading and may be shown; only those of its next page
// if it is read.
func (x *examination) proposals(r *reading, isRead bool) (all []infer.Settings) {
	if len(r.answers) == 0 {
		return nil
	}
	for _, s := range r.propose(r.answers[0].evidence()) {
		s = s.Inside(x.wire.Envelope.At)
		if isRead {
			s = s.NextPage()
		}
		if len(s) > 0 && !slices.ContainsFunc(s.Texts(), x.hides) {
			all = append(all, s)
		}
	}

	return all
}

// with repeats a reading from its answers, with further settings. Unless isClosed, what they lead to, such as another
// page, is asked for.
func (x *examination) with(ctx context.Context, s infer.Settings, r *reading, isClosed bool) (decoded, []exchange, error) {
	wire, err := x.wire.With(s)
	if err != nil {
		return decoded{}, nil, err
	}
	return x.do(ctx, session{r.way, wire, r.answers, isClosed}, r.read)
}

// verify reads all answers once more with the settings in the end, and reports which of them are no
// longer read as they were.
func (x *examination) verify(ctx context.Context) {
	for _, r := range x.readings {
		if read, _, err := x.with(ctx, nil, r, true); err != nil || !read.isSame(r.decoded) {
			x.report.add(r.group, r.check, Broken, "the answer is read with its own settings, and not with all of them together")
		}
	}
}

// addFinding adds the finding about a reading.
func (x *examination) addFinding(r *reading) {
	word, text := OK, "read as configured"
	switch {
	case r.err != nil:
		word, text = Broken, x.describe(r.err)+"; no setting was found with which it is read"
	case r.whenEmpty != "" && r.decoded.isEmpty():
		word, text = map[bool]Word{true: Differs, false: Unknown}[r.differs], r.whenEmpty
	case r.decoded.lacking > 0:
		word, text = Differs, "it is read, but not every field that the provider needs; no setting was found that names the others"
	case r.differs:
		word, text = Differs, "read with the wire settings below"+x.structure(r)
	}
	x.report.add(r.group, r.check, word, text)
}

// structure returns what the last answer to a reading consists of, which shows why settings are needed.
func (x *examination) structure(r *reading) string {
	v, err := jsonvalue.Parse(r.answers[len(r.answers)-1].evidence().Body)
	text := "; the answer is " + decode.Structure(v)
	if err != nil || x.hides(text) {
		return ""
	}
	return text
}
