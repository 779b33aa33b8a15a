// SPDX-License-Identifier: MPL-2.0

// Package requests implements the Terraform objects for what the service accepts now
// and carries out later: the resources analytics_data_deletion and
// analytics_data_access_request, an action for each, and analytics_pending_requests.
//
// Create submits the request, saves the object at once with fulfilled = false, waits if
// wait_for_fulfilment says so, and saves it again. Every Read looks at the request until it is
// fulfilled. Update resumes a wait, or submits another request if triggers have changed. Delete only
// forgets: nothing calls a request back. What both resources share is in model.go.
//
// Package deferred sends a request, recognises it in the pending list and waits for it. Package run
// keeps what is known of it in private state. The third type of request belongs to package profile.
package requests
