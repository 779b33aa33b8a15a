package consent

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// mostPeeks is how many people beyond the limit are looked up to find out whether one more
// would be listed.
const mostPeeks = 16

// mostFailures is how many people may fail to be read before the list fails.
const mostFailures = 10

// concernEveryone are the classes of failures that would repeat for every other person.
var concernEveryone = []client.ErrorClass{
	client.ClassAuthentication, client.ClassForbidden, client.ClassEndpointNotFound, client.ClassLoginAnswer,
	client.ClassTLS, client.ClassProxyAuth, client.ClassRedirect,
}

// listing is one list of people while it is streamed.
type listing struct {
	service *tfkit.Service
	client  *client.Client
	scope   client.Scope
	source  source
	request list.ListRequest

	found   int64 // results
	missing int   // people without a consent record
	failed  int   // people who could not be read
	peeked  int   // people beyond the limit who were looked up
	follow  following
}

// following says whether more people follow beyond the limit.
type following int

const (
	noneFollow following = iota
	moreFollow
	moreMayFollow
)

// answer is what the service says about a candidate.
type answer struct {
	candidate

	held  answers.Consent
	err   error
	panic diag.Diagnostics // of a look-up that panicked
}

// stream hands over the people with a consent record, in the order of the source, as many
// as the limit allows. The last one of them is held back until it is known whether more
// people follow: Terraform reads no further, and says nothing of its own about the limit.
func (l *listing) stream(ctx context.Context, push func(list.ListResult) bool) {
	var last *list.ListResult // at the limit

	for a := range inOrder(ctx, l.source.all(ctx, l.request.Limit), l.width, l.lookUp) {
		if ctx.Err() != nil || last != nil && !l.peek(a) {
			break
		}
		if client.IsClass(a.err, client.ClassNotFound) {
			l.missing++
			continue
		}

		result := l.result(ctx, a)
		if l.isFull() {
			last = &result
			continue
		}
		if !push(result) || result.Diagnostics.HasError() {
			return
		}
	}

	l.end(ctx, last, push)
}

// peek notes whether a person beyond the limit would be listed. It reports whether to look
// up another one.
func (l *listing) peek(a answer) bool {
	l.peeked++
	if !client.IsClass(a.err, client.ClassNotFound) {
		l.follow = moreFollow
		return false
	}

	if l.peeked == mostPeeks {
		l.follow = moreMayFollow
	}

	return l.follow == noneFollow
}

// isFull reports whether there are as many results as the limit allows.
func (l *listing) isFull() bool { return l.request.Limit > 0 && l.found >= l.request.Limit }

// width returns how many people may be looked up at a time: at most as many as are still
// wanted, so that no request is wasted. Beyond the limit it is 1: one person at a time shows
// whether more follow.
func (l *listing) width() int {
	width := l.client.Concurrency()
	if l.request.Limit <= 0 {
		return width
	}
	return max(1, min(width, int(min(l.request.Limit-l.found, int64(width)))))
}

// lookUp asks the service about a person. Several look-ups run at a time.
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

// end hands over the diagnostics that are known only at the end of the list, with the last
// result if there is one.
func (l *listing) end(ctx context.Context, last *list.ListResult, push func(list.ListResult) bool) {
	var diags diag.Diagnostics
	l.conclude(ctx, last != nil, &diags)

	if last != nil {
		last.Diagnostics.Append(diags...)
		push(*last)
		return
	}
	if len(diags) > 0 {
		push(list.ListResult{Diagnostics: diags})
	}
}

// conclude adds the diagnostics of the list as a whole. full says that the list has reached
// its limit.
func (l *listing) conclude(ctx context.Context, full bool, diags *diag.Diagnostics) {
	l.service.AddNotices(diags)
	warnMissing(l.missing, diags)

	var problems diag.Diagnostics
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		addListTimeout(&problems)
	case ctx.Err() != nil:
		addListInterrupted(&problems)
	default:
		l.source.report(&problems)
	}

	// The list is complete up to its limit: a problem beyond it only leaves open whether more
	// people follow.
	if full && problems.HasError() {
		l.follow = moreMayFollow
		problems = nil
	}

	diags.Append(problems...)
	l.follow.warn(l.request.Limit, diags)
}
