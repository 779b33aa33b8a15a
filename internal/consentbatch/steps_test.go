// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// batchTest is a batch of a file, as the steps of a test have left it.
type batchTest struct {
	*testing.T

	p       *prototest.Provider
	service *mocktest.Instance
	f       *batchFile
	state   *prototest.State

	interrupt context.CancelFunc // of the present apply
}

// inBatch runs a test of a batch in virtual time, where a slow machine takes none: no comparison
// gets too old for its write, so that requests can be counted.
func inBatch(t *testing.T, content string, settings prototest.Attributes, test func(t *testing.T, b *batchTest)) {
	t.Helper()
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		p.Reconfigure(prototest.Config(service).With(settings))
		test(t, &batchTest{T: t, p: p, service: service, f: newFile(t, content)})
	})
}

// step is a refresh, a plan and its apply in a process of their own, and what is expected of them.
type step struct {
	before  func(b *batchTest)   // what happens before; nil for nothing
	content string               // of the file from now on; empty for the same
	config  prototest.Attributes // the file is the source unless it has content_wo
	destroy bool                 // in place of an update
	between func(b *batchTest)   // what happens between the plan and the apply of an update; nil for nothing

	errors, warnings []string           // words of the only one; nil for none
	gets, patches    int                // requests
	counts           counts             // in state
	held             map[int][5]bool    // clauses that the service holds afterwards, by row
	report           []string           // lines of the report, which is left out if this is nil and not written if it is empty
	after            func(b *batchTest) // further checks
}

// apply applies the steps one after the other. It fails the test where a message or a report
// names a person, a create that failed is in state, or the plan after a step without an error is
// not empty.
func (b *batchTest) apply(steps ...step) {
	b.Helper()
	for i, s := range steps {
		b.p.NewRun()
		b.service.Reset()
		if s.before != nil {
			s.before(b)
		}
		if s.content != "" {
			b.f.write(s.content)
		}
		config := s.config
		if config["content_wo"] == nil {
			config = b.f.config(s.config)
		}
		if s.report != nil {
			config = config.With(prototest.Attributes{"report_path": b.f.reportPath()})
		}

		if s.destroy {
			b.destroy(s)
		} else {
			b.update(config, s)
		}

		wantRequests(b.T, b.service, s.gets, s.patches)
		for row, clauses := range s.held {
			wantRow(b.T, b.service, row, clauses)
		}
		if s.report != nil {
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(b.f.path), ".analytics-*")); len(left) > len(s.report) { // one keeps its report
				b.Errorf("the apply has left %q", left)
			}

			text, _ := os.ReadFile(b.f.reportPath())
			if diff := cmp.Diff(s.report, strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })); diff != "" {
				b.Errorf("the report (-want +got):\n%s", diff)
			}
		}
		if s.errors == nil && !s.destroy {
			b.wantDone(config, s)
		}
		if s.after != nil {
			s.after(b)
		}
		if b.Failed() {
			b.Fatalf("in step %d", i)
		}
	}
}

func (b *batchTest) update(config prototest.Attributes, s step) {
	b.Helper()
	wasThere := b.state != nil
	if wasThere {
		b.state, _ = b.p.MustRefresh(batchName, b.state)
	}

	diags := b.p.Validate(batchName, config)
	plan, more := b.p.Plan(batchName, b.state, config)
	diags = append(diags, more...)
	if s.between != nil {
		s.between(b)
	}
	state := b.state
	if len(diags.Errors()) == 0 && plan.Changes {
		var ctx context.Context
		ctx, b.interrupt = context.WithCancel(b.Context())
		state, more = b.p.Apply(ctx, batchName, b.state, plan)
		b.interrupt()
		diags = append(diags, more...)
	}
	b.state = state
	b.wantSaid(diags.Errors(), s.errors)
	isReview := func(text string) bool { return strings.Contains(text, " rows would be written") }
	b.wantSaid(slices.DeleteFunc(diags.Warnings(), isReview), s.warnings)
	if wasThere || s.errors == nil {
		wantResults(b.T, state, s.counts)
	} else if state != nil {
		b.Error("a create that failed is in state, and would be tainted")
	}
}

// destroy destroys the batch. Its plan always warns.
func (b *batchTest) destroy(s step) {
	b.Helper()
	state, diags := b.p.Update(batchName, b.state, nil)
	b.wantSaid(diags.Errors(), s.errors)
	b.wantSaid([]string{strings.Join(diags.Warnings(), "\n")}, s.warnings)
	if s.errors == nil && state != nil {
		b.Error("the object is still there")
	}
	if s.errors != nil && (state == nil || !cmp.Equal(b.state.Attributes, state.Attributes)) {
		b.Errorf("the state is %v", state)
	}
	b.state = state
}

// wantSaid fails the test unless there is one message with the words, or none if there are no
// words.
func (b *batchTest) wantSaid(texts, words []string) {
	b.Helper()
	if len(texts) != min(len(words), 1) || strings.Contains(strings.Join(texts, ""), "@example.com") {
		b.Errorf("%q is said, want %q", texts, words)
	}
	if words != nil {
		prototest.WantText(b.T, texts, words...)
	}
}

// wantDone fails the test unless the next plan is empty. It asks nothing if it does not compare,
// and otherwise warns of later choices alone.
func (b *batchTest) wantDone(config prototest.Attributes, s step) {
	b.Helper()
	said := wantEmptyBatchPlan(b.T, b.p, b.state, config).Warnings()
	if config["compare_at_plan"] == false {
		wantRequests(b.T, b.service, s.gets, s.patches)
	} else if slices.Contains(s.warnings, keptRows) {
		prototest.WantText(b.T, said, keptRows)
		return
	}
	if len(said) > 0 {
		b.Errorf("the next plan says %q", said)
	}
}

// must fails the test where the file system has refused something.
func (b *batchTest) must(errs ...error) {
	b.Helper()
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
}

// choosing lets the people of rows choose.
func choosing(at string, rows ...int) func(b *batchTest) {
	return func(b *batchTest) {
		for _, i := range rows {
			chooseFor(b.service, i, at)
		}
	}
}

// given records for the people of rows what is configured.
func given(rows ...int) func(b *batchTest) {
	return func(b *batchTest) {
		for _, i := range rows {
			b.service.PutConsent(scope, userName(i), mockserver.ConsentRecord{Clauses: configured, AgreementTime: middle, Manual: new(true)})
		}
	}
}

// inOrder lets one thing happen after the other.
func inOrder(happens ...func(b *batchTest)) func(b *batchTest) {
	return func(b *batchTest) {
		for _, one := range happens {
			one(b)
		}
	}
}

// failing lets the service reject an update of each of the rows.
func failing(status int, rows ...int) func(b *batchTest) {
	return func(b *batchTest) { b.service.Inject(rejecting(status, rows...)...) }
}

// interrupting interrupts the apply in a request, which the service may carry out.
func interrupting(operation string, isCarriedOut bool) func(b *batchTest) {
	return func(b *batchTest) {
		b.service.Inject(mockserver.Fault{Operation: operation, Hang: true, Commit: isCarriedOut, Then: func() { b.interrupt() }})
	}
}
