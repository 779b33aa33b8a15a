// Package requests implements the Terraform objects for what the service accepts now
// and carries out later:
//
//   - analytics_data_deletion, in data_deletion_*.go;
//   - analytics_data_access_request, in data_access_request_*.go;
//   - analytics_pending_requests, in pending_requests_*.go.
//
// The two resources share the attributes and the model of a request (schema.go,
// model.go), the steps of a Create or Update (attempt.go), and their warnings
// (diagnostics.go).
//
// Each resource describes its request as a deferred.Request, in deletionRequest and
// fetch.request. Package deferred sends it, recognises it in the pending list and waits
// for it. The third type of request, the profile update, belongs to package profile.
package requests
