// SPDX-License-Identifier: MPL-2.0

// Package proof decides what has become of a deferred request (interface, section 4). It is pure:
// readings of the service go in, and a verdict comes out.
//
//   - listing.go is what one reading of the pending list shows of a person;
//   - submission.go is what is remembered of a request, and what a listing shows of it;
//   - admission.go decides whether a request may be sent beside those that are listed;
//   - table.go judges: from the state of a request, what the list shows and what the effect
//     shows, it concludes the next state and what to do.
//
// A request has one of six states:
//
//	unsent ──send──▶ unanswered ──▶ accepted ──▶ listed ──▶ fulfilled
//	                                                  └───▶ failed
//
// A request is recognised by the ID that the service gave it. Until the list shows that ID, every
// record of the person and type that is new since before the request was sent is a candidate: the
// request is done if all of them are, and failed if all have failed. Where they disagree, nothing
// is concluded. An ID names one request in a run, and for as long as the list may show it. If a service
// gives an ID to another request before, such as a place in the list, wire.pending.id has to leave it out.
//
// What is absent or visible counts when two readings show it, a lag apart; one is
// enough for the request's own record. The second absence counts only if the reading before it
// began a lag after the request was sent: until then, the list may lag.
//
// table.go has everything that is concluded, and the guide on erasure and access shows the same table.
package proof
