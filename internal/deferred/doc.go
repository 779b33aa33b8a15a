// SPDX-License-Identifier: MPL-2.0

// Package deferred carries out the requests that the service accepts now and fulfils
// later: deleting a person's data, handing it out, and updating a profile (interface,
// section 4). None of them can be cancelled.
//
// What readings prove, and what follows, is decided by package proof, in one table. This package
// reads and sends:
//
//   - engine.go submits a request, waits for it, and refreshes it;
//   - execution.go prepares a request, sends it, and looks for it if its answer was lost;
//   - look.go reads the pending list and the effect, and enters the state that is concluded;
//   - effect.go is the effect on a profile;
//   - poller.go reads the pending list once for all submissions that wait;
//   - history.go remembers what this process has submitted.
//
// A Submission outlives the process as JSON. The package knows no Terraform types and
// sends nothing itself: a Request brings the functions that do.
//
// # After a lost answer
//
// The state is Unanswered: the service may have accepted the request, also after a redirect or a
// conflict. If the list has had time to show it and has not, it is sent again only if repeating it
// does no harm, or the user has asked for it since; otherwise the caller gets an error of
// transport.ClassUnknownOutcome, and a Submission from which the next call continues.
package deferred
