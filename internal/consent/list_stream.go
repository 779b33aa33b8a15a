// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"iter"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// mostFailures is how many people may fail to be read before the list fails.
const mostFailures = 10

// concernEveryone are the classes of failures that would repeat for every other person.
var concernEveryone = []transport.ErrorClass{
	transport.ClassAuthentication, transport.ClassForbidden, transport.ClassEndpointNotFound, transport.ClassLoginAnswer,
	transport.ClassTLS, transport.ClassProxyAuth, transport.ClassRedirect,
}

// listing is one list of people while it is streamed.
type listing struct {
	source

	day     *dayReader // nil for a list of identities
	service *tfkit.Service
	client  *client.Client
	scope   client.Scope
	request list.ListRequest

	next    int // the person to look up next
	found   int // results
	missing int // people without a consent record
	failed  int // people who could not be read
}

// answer is what the service says about a candidate.
type answer struct {
	candidate

	held  answers.Consent
	err   error
	panic diag.Diagnostics // of a look-up that panicked
}

// stream hands over the people with a consent record, in the order of the source, as many
// as the limit allows. Terraform reads no further than that, and says nothing of its own
// about the limit, so the last result carries what there is to say about the list.
func (l *listing) stream(ctx context.Context, push func(list.ListResult) bool) {
	for a := range l.answers(ctx) {
		if ctx.Err() != nil {
			break
		}
		if transport.IsClass(a.err, transport.ClassNotFound) {
			l.missing++
			continue
		}

		result := l.result(ctx, a)
		if l.isFull() {
			l.conclude(ctx, &result.Diagnostics)
		}
		if !push(result) || l.isFull() || result.Diagnostics.HasError() {
			return
		}
	}

	var diags diag.Diagnostics
	l.conclude(ctx, &diags)
	if len(diags) > 0 {
		push(list.ListResult{Diagnostics: diags})
	}
}

// isFull reports whether there are as many results as the limit allows; 0 is no limit.
func (l *listing) isFull() bool { return l.request.Limit > 0 && l.found >= int(l.request.Limit) }

// width returns how many people may be looked up at a time: not more than are still wanted.
func (l *listing) width() int {
	if l.request.Limit <= 0 {
		return l.client.Concurrency()
	}
	return min(l.client.Concurrency(), int(l.request.Limit)-l.found)
}

// answers looks people up, several at a time, and yields the answers in the order of the
// source. No look-up is under way that is not wanted. None is once the iteration has ended,
// because its end cancels their context and waits for them.
func (l *listing) answers(ctx context.Context) iter.Seq[answer] {
	return func(yield func(answer) bool) {
		var lookUps sync.WaitGroup
		defer lookUps.Wait()

		ctx, cancel := context.WithCancel(ctx)
		defer cancel()

		var waiting []chan answer // in the order of the source
		for {
			for l.next < len(l.people) && len(waiting) < l.width() {
				person, out := l.people[l.next], make(chan answer, 1)
				l.next++
				waiting = append(waiting, out)
				lookUps.Go(func() { out <- l.lookUp(ctx, person) })
			}

			if len(waiting) == 0 || !yield(<-waiting[0]) {
				return
			}
			waiting = waiting[1:]
		}
	}
}

// lookUp asks the service about a person.
func (l *listing) lookUp(ctx context.Context, person candidate) (a answer) {
	defer func() {
		if recover() != nil { // in a goroutine of its own, where nothing else recovers
			tfkit.AddPanic(ctx, &a.panic)
		}
	}()

	a.candidate = person
	a.held, a.err = l.client.GetConsent(ctx, l.scope, person.identity)

	return a
}

// result returns the result for a person who may be listed: the person, or why the service
// could not be asked.
func (l *listing) result(ctx context.Context, a answer) list.ListResult {
	if a.panic.HasError() {
		return list.ListResult{Diagnostics: a.panic}
	}
	if a.err != nil {
		return list.ListResult{Diagnostics: l.failure(a)}
	}

	l.found++
	result := l.request.NewListResult(ctx)
	result.DisplayName = a.identity

	identity := tfkit.NewIdentity(l.scope, a.identity)
	result.Diagnostics.Append(result.Identity.Set(ctx, identity)...)
	if l.request.IncludeResource {
		result.Diagnostics.Append(result.Resource.Set(ctx, l.resource(identity, a.held))...)
	}

	return result
}

// resource returns the attributes of a person as they would be configured: without the
// scope of the provider block, and without defaults. The address is left out, because
// "terraform query -json" prints it, and no generated configuration holds it.
func (l *listing) resource(identity tfkit.Identity, held answers.Consent) *resourceModel {
	m := &resourceModel{Identity: identity}
	if l.scope == l.service.DefaultScope {
		m.Scope = tfkit.Scope{}
	}

	m.recordModel.fromAPI(held)
	m.UserIPv6 = customtypes.IPAddress{}
	if m.Manual.ValueBool() {
		m.Manual = types.BoolNull()
	}

	return m
}

// conclude adds what is known at the end of the list.
func (l *listing) conclude(ctx context.Context, diags *diag.Diagnostics) {
	l.service.AddNotices(diags)
	warnMissing(l.missing, diags)
	if l.day != nil {
		l.day.report(diags)
	}

	more := l.isCut || l.next < len(l.people)
	switch {
	case l.isFull() && more:
		warnLimit(l.request.Limit, diags)
	case ctx.Err() != nil:
		addListInterrupted(diags)
	case more:
		addTooManyPeople(diags)
	}
}
