package records

import (
	"errors"
	"fmt"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Errors about an answer. They quote nothing of it but names of members that this
// package knows.
var (
	ErrTruncated    = errors.New("the answer ends in the middle")
	ErrTooLarge     = errors.New("a single record, or what stands between two, is larger than 16 MiB")
	ErrShape        = errors.New("the answer has none of the shapes that an export can have")
	ErrAmbiguous    = fmt.Errorf("%w that can be told apart: an object may be a record or hold the records", ErrShape)
	ErrSyntax       = errors.New("the JSON is not valid")
	ErrRepeatedName = errors.New("the JSON has a name twice in one object")
	ErrUTF8         = fmt.Errorf("%w: the text is not UTF-8", ErrSyntax)
	ErrFailed       = errors.New("the answer says itself that it failed")
	ErrUnfinished   = errors.New("the answer says itself that it is not ready")
	ErrPage         = errors.New("the answer says that there is more, and the interface has no way to ask for it")
	ErrElsewhere    = errors.New("the answer points to records instead of holding them")
	ErrOtherKind    = errors.New("the answer holds records of another kind than was asked for")
	ErrNoRecord     = errors.New("what stands where records should be is none")
	ErrPanic        = errors.New("reading the answer ended in a panic")
)

var signErrors = map[jsonvalue.Sign]error{
	jsonvalue.Failed:     ErrFailed,
	jsonvalue.Unfinished: ErrUnfinished,
	jsonvalue.Paged:      ErrPage,
	jsonvalue.Elsewhere:  ErrElsewhere,
}

// signError returns the error for a sign, with the name of the member that gives it; nil
// if there is no sign.
func signError(f jsonvalue.Finding) error {
	err, ok := signErrors[f.Sign]
	if !ok {
		return nil
	}
	return fmt.Errorf("%w (member %q)", err, f.Member)
}

// located adds the offset in the answer to errors about its JSON.
func located(err error, offset int64) error {
	if errors.Is(err, ErrSyntax) || errors.Is(err, ErrRepeatedName) {
		return fmt.Errorf("%w, at byte %d", err, offset)
	}
	return err
}

// emitError marks an error that emit returned.
type emitError struct{ error }
