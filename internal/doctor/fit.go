// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// reading is a reading that can be repeated with other settings from the answers that it had.
type reading struct {
	group, what string // of the report
	way         *way
	read        reader
	propose     func(infer.Answer) []infer.Settings

	answers []exchange
	seen    seen
	err     error
}

// isSame reports whether two readings read the same.
func (r *reading) isSame(other *reading) bool { return r.group == other.group && r.what == other.what }

// settingsOf returns the settings of wire that differ from the defaults.
func settingsOf(w client.Wire) infer.Settings {
	var s infer.Settings
	text, err := json.Marshal(w.Minimal())
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil || s == nil {
		return infer.Settings{}
	}

	return s
}

// wireOf returns settings as the client takes them. The error says which is not accepted.
func wireOf(s infer.Settings) (client.Wire, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return client.Wire{}, err
	}
	wire, err := client.ParseWire(text)
	if err != nil {
		return client.Wire{}, err
	}

	return wire, wire.Validate()
}

// adopt adds settings to those that were found, without those that are the defaults.
func (x *examination) adopt(s infer.Settings) {
	if wire, err := wireOf(x.settings.Merge(s)); err == nil {
		x.settings = settingsOf(wire)
	}
}

// examine reads from the service, with settings that fit the answers, which it keeps. It reports
// whether other settings than before are needed.
func (x *examination) examine(ctx context.Context, r *reading) (differs bool) {
	wire, err := wireOf(x.settings)
	if err != nil {
		r.err = err
		return false
	}
	c, answers, err := x.connect(r.way, wire, 1)
	if err != nil {
		r.err = err
		return false
	}

	r.seen, r.err = r.read(ctx, c)
	r.answers = answers.take()
	if s := x.fit(ctx, r); s != nil {
		x.adopt(s)
		differs = true
	}

	x.readings = append(slices.DeleteFunc(x.readings, r.isSame), r)

	return differs
}

// fit looks for settings with which the answers of a reading are read, or read with more fields. It
// returns them in their shortest form; nil where those of before are the best.
func (x *examination) fit(ctx context.Context, r *reading) infer.Settings {
	isRead := r.err == nil && r.seen.lacking == 0
	if isRead || len(r.answers) == 0 {
		return nil
	}

	var best infer.Settings
	for _, proposal := range x.proposals(r) {
		if slices.ContainsFunc(proposal.Names(), x.hides) {
			continue
		}

		s, err := x.try(ctx, r, x.settings.Merge(proposal))
		isBetter := r.err != nil || s.lacking < r.seen.lacking
		if err == nil && isBetter {
			best, r.seen, r.err = proposal, s, nil
		}
	}
	if best == nil {
		return nil
	}

	return x.shortest(ctx, r, best)
}

// proposals returns what is proposed for a reading, also with places in the envelope that is known.
func (x *examination) proposals(r *reading) []infer.Settings {
	all := r.propose(r.answers[0].evidence())
	envelope, _ := x.settings["envelope"].(string)
	if envelope == "" {
		return all
	}

	var both []infer.Settings
	for _, proposal := range all {
		both = append(both, proposal.Inside(envelope), proposal)
	}

	return both
}

// guards are settings that are kept although the answers are read without them: they show that a
// page is missing, or that the service has failed.
var guards = []string{"pending.next", "pending.total", "export.next", "export.total", "result.at", "result.success"}

// shortest returns the settings without those that make no difference to what is read.
func (x *examination) shortest(ctx context.Context, r *reading, s infer.Settings) infer.Settings {
	for {
		shorter := x.shorten(ctx, r, s)
		if shorter == nil {
			return s
		}
		s = shorter
	}
}

// shorten returns the settings without one of them that makes no difference; nil if each does.
func (x *examination) shorten(ctx context.Context, r *reading, s infer.Settings) infer.Settings {
	for path, rest := range s.Without() {
		if slices.Contains(guards, path) {
			continue
		}
		if again, err := x.again(ctx, r, x.settings.Merge(rest)); err == nil && again == r.seen {
			return rest
		}
	}

	return nil
}

// try repeats a reading with other settings, and reads the pages that they lead to.
func (x *examination) try(ctx context.Context, r *reading, s infer.Settings) (seen, error) {
	read, asked, err := x.repeat(ctx, r, s)
	if !asked {
		return read, err
	}

	wire, err := wireOf(s)
	if err != nil {
		return seen{}, err
	}
	c, answers, err := x.connect(r.way, wire, 1)
	if err != nil {
		return seen{}, err
	}
	if _, err := r.read(ctx, c); err != nil {
		return seen{}, err
	}
	r.answers = answers.take()

	return x.again(ctx, r, s)
}

// again repeats a reading from its answers, with other settings. Nothing is sent.
func (x *examination) again(ctx context.Context, r *reading, s infer.Settings) (seen, error) {
	read, _, err := x.repeat(ctx, r, s)
	return read, err
}

// repeat is again. asked reports whether the reading wanted an answer that there was not.
func (x *examination) repeat(ctx context.Context, r *reading, s infer.Settings) (read seen, asked bool, _ error) {
	wire, err := wireOf(s)
	if err != nil {
		return seen{}, false, err
	}

	answers := &replay{answers: r.answers}
	cfg := x.options.Client
	cfg.Credentials, cfg.Wire, cfg.MaxRetries, cfg.Observer = transport.Credentials{APISecretKey: "replayed"}, wire, 0, nil
	cfg.Around = answers.around
	c, err := client.New(cfg)
	if err != nil {
		return seen{}, false, err
	}
	defer c.Close()
	read, err = r.read(ctx, c)

	return read, answers.asked, err
}

// verify reads all answers once more with the settings in the end, and reports which of them are no
// longer read as they were.
func (x *examination) verify(ctx context.Context) {
	for _, r := range x.readings {
		if r.err != nil {
			continue
		}
		if s, err := x.again(ctx, r, x.settings); err != nil || s != r.seen {
			x.report.group = r.group
			x.report.add(r.what, Broken, "the answer is read with its own settings, and not with all of them together")
		}
	}
}
