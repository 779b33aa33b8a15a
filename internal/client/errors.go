// SPDX-License-Identifier: MPL-2.0

package client

import (
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// What package transport defines and callers of a client use.
//
//nolint:revive // their own comments are in package transport
type (
	Error           = transport.Error
	ErrorClass      = transport.ErrorClass
	Credentials     = transport.Credentials
	CredentialError = transport.CredentialError
	Observer        = transport.Observer
	Head            = transport.Head
)

// The classes of failure, as package transport describes them.
const (
	ClassInternal         = transport.ClassInternal
	ClassInvalid          = transport.ClassInvalid
	ClassReadOnly         = transport.ClassReadOnly
	ClassCancelled        = transport.ClassCancelled
	ClassUnreachable      = transport.ClassUnreachable
	ClassTimeout          = transport.ClassTimeout
	ClassConnectionLost   = transport.ClassConnectionLost
	ClassTLS              = transport.ClassTLS
	ClassProxyAuth        = transport.ClassProxyAuth
	ClassRedirect         = transport.ClassRedirect
	ClassLoginAnswer      = transport.ClassLoginAnswer
	ClassAuthentication   = transport.ClassAuthentication
	ClassForbidden        = transport.ClassForbidden
	ClassNotFound         = transport.ClassNotFound
	ClassEndpointNotFound = transport.ClassEndpointNotFound
	ClassRejected         = transport.ClassRejected
	ClassConflict         = transport.ClassConflict
	ClassRateLimited      = transport.ClassRateLimited
	ClassServer           = transport.ClassServer
	ClassNotJSON          = transport.ClassNotJSON
	ClassEmpty            = transport.ClassEmpty
	ClassTruncated        = transport.ClassTruncated
	ClassTooLarge         = transport.ClassTooLarge
	ClassPayload          = transport.ClassPayload
	ClassUnknownOutcome   = transport.ClassUnknownOutcome
	ClassNotReady         = transport.ClassNotReady
	ClassRequestTooLarge  = transport.ClassRequestTooLarge
)

// Constants of package transport.
const (
	InJSON  = transport.InJSON
	InForm  = transport.InForm
	InQuery = transport.InQuery

	LimitJSON = transport.LimitJSON
)

// Functions of package transport.
var (
	IsClass        = transport.IsClass
	IsError        = transport.IsError
	MayPass        = transport.MayPass
	UnknownOutcome = transport.UnknownOutcome

	EscapeSegment   = transport.EscapeSegment
	HiddenName      = transport.HiddenName
	Pause           = transport.Pause
	ValidateHeaders = transport.ValidateHeaders
	ValidateSecret  = transport.ValidateSecret
)
