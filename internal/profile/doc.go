// Package profile implements the resource, the data source and the ephemeral resource
// analytics_profile. The resource manages the top-level members of a profile that are
// configured, and no others.
//
// An update of a profile is a deferred request: update.go sends it and waits for it in a
// Create or Update, and refresh.go looks at one that was not fulfilled then.
package profile
