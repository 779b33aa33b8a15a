// SPDX-License-Identifier: MPL-2.0

// Package requests implements the Terraform objects for what the service accepts now
// and carries out later: the resources analytics_data_deletion and
// analytics_data_access_request, an action for each, and analytics_pending_requests.
//
// # The life of an object
//
// Create submits the request and saves the object at once, with fulfilled = false. Then it
// waits for the request, if wait_for_fulfilment says so, and saves the object again. Every
// Read looks at the request until it is fulfilled. Update goes on with a wait that was
// interrupted or whose attributes have changed, and submits another request if triggers
// have changed. Delete only forgets: nothing calls a request back. Each resource is complete in
// its file. They share the attributes of a request and their plan (model.go); the file of a data
// access request is in data_access_fetch.go.
//
// Each model describes its request as a deferred.Request. Package deferred sends it,
// recognises it in the pending list and waits for it. Package run keeps what is known of it in
// private state, in one document with a version.
//
// The third type of request, the profile update, belongs to package profile.
package requests
