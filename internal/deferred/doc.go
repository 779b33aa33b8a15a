// Package deferred carries out the requests that the service accepts now and
// fulfils later: deleting a person's data, handing it out, and updating a profile
// (interface, section 4). None of them can be called back.
//
// A Submission is what is known of one request. Its life is the table in
// machine.go: for each state and each event, the next state and the next step.
// Everything else in this package performs steps and turns what it sees into
// events:
//
//   - list.go decides which record of the pending list is the submission's own;
//   - engine.go performs the steps of a submission, a wait and a refresh;
//   - feed.go reads the pending list once for all submissions that wait;
//   - run.go remembers what this process has submitted.
//
// A Submission survives the process as JSON. The package knows no Terraform types
// and sends nothing itself: a Request brings the functions that do.
//
// # After a lost answer
//
// The state is Unanswered: the service may have accepted the request. The engine
// reads the pending list until a record shows up that was not there before the
// request was sent, the effect shows up that was not there before, or the list has
// stayed without the record for the settling time. In the first two cases the
// request was accepted. In the third it is sent again only if repeating it does no
// harm; otherwise the caller gets an error of client.ClassUnknownOutcome, and a
// Submission from which the next call continues.
package deferred
