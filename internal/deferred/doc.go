// SPDX-License-Identifier: MPL-2.0

// Package deferred carries out the requests that the service accepts now and fulfils
// later: deleting a person's data, handing it out, and updating a profile (interface,
// section 4). None of them can be cancelled.
//
// A Submission is what is known about one request, and its State how far that has come:
//
//   - engine.go submits a request, waits for it, and refreshes it;
//   - execution.go decides whether a request may be sent, and sends it;
//   - look.go looks at the pending list and at the effect, and concludes the next state;
//   - list.go decides which record of the pending list is the submission's own;
//   - poller.go reads the pending list once for all submissions that wait;
//   - history.go remembers what this process has submitted.
//
// A Submission outlives the process as JSON. The package knows no Terraform types and
// sends nothing itself: a Request brings the functions that do.
//
// # After a lost answer
//
// The state is Unanswered: the service may have accepted the request. The engine reads
// the pending list until it shows a record that was not there before the request was
// sent, until an effect shows that was not there before, or until the list has had time
// to show the record and has not. In the first two cases the request was accepted. In the
// third it is sent again only if repeating it does no harm; otherwise the caller gets an
// error of transport.ClassUnknownOutcome, and a Submission from which the next call
// continues.
package deferred
