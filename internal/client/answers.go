package client

import answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"

// The answers of the service, as package answer reads them.
//
//nolint:revive // their own comments are in package answer
type (
	Optional[T any] = answers.Optional[T]
	Consent         = answers.Consent
	DataCall        = answers.DataCall
	Profile         = answers.Profile
	PendingList     = answers.PendingList
	PendingRecord   = answers.PendingRecord
	Progress        = answers.Progress
	Receipt         = answers.Receipt
)

// Constants of package answer.
const (
	Clauses = answers.Clauses

	RequestProfileUpdate = answers.RequestProfileUpdate
	RequestDataAccess    = answers.RequestDataAccess
	RequestDataDeletion  = answers.RequestDataDeletion

	Waiting = answers.Waiting
	Unclear = answers.Unclear
	Failed  = answers.Failed
	Done    = answers.Done
)

// RequestTypes are all request types.
var RequestTypes = answers.RequestTypes

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return answers.Some(v) }
