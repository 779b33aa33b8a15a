// SPDX-License-Identifier: MPL-2.0

// Package requests implements the Terraform objects for what the service accepts now
// and carries out later:
//
//   - analytics_data_deletion, in data_deletion_*.go;
//   - analytics_data_access_request, in data_access_request_*.go;
//   - analytics_pending_requests, in pending_requests_*.go.
//
// The two resources share the attributes of a request, its model, and warnings (model.go).
//
// # The life of an object
//
// Create submits the request and saves the object at once, with fulfilled = false. Then it
// waits for the request, if wait_for_fulfilment says so, and saves the object again. Every
// Read looks at the request until it is fulfilled. Update goes on with a wait that was
// interrupted or whose attributes have changed, and submits another request if triggers
// have changed. Delete only forgets: nothing calls a request back.
//
// Each resource describes its request as a deferred.Request, in deletionRequest and
// fetch.about. Package deferred sends it, recognises it in the pending list and waits
// for it. What it knows of the request is a deferred.Submission, which is kept in private
// state: under tfkit.KeySubmission the one that the object stands for, and under
// tfkit.KeyUnanswered one that failed because its outcome is unknown.
//
// The third type of request, the profile update, belongs to package profile.
package requests
