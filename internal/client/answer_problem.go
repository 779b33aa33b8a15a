package client

import (
	"errors"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// problem returns the *Error of an answer that is not what was asked for. err is of package
// answer.
func (a answer) problem(err error) error {
	p, ok := errors.AsType[*answers.Error](err)
	if !ok {
		return err
	}

	switch p.Outcome {
	case answers.Refused:
		return a.refusal()
	case answers.Absent:
		return a.call.fail(ClassNotFound, a.status, p.Error())
	case answers.Unrecognised:
	}

	e := a.call.fail(ClassPayload, a.status, a.call.redact.clean(p.Error()))
	e.Ambiguous = false

	return e
}
