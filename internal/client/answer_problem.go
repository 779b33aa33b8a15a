// SPDX-License-Identifier: MPL-2.0

package client

import (
	"errors"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// problem returns the *Error of an answer that is not what was asked for. err is of package
// answer.
func problem(a transport.Answer, err error) error {
	p, ok := errors.AsType[*answer.Error](err)
	if !ok {
		return err
	}

	switch p.Outcome {
	case answer.Refused:
		return a.Refusal()
	case answer.Absent:
		return a.Call.Fail(transport.ClassNotFound, a.Status, p.Error())
	case answer.Unrecognised:
	}

	e := a.Call.Fail(transport.ClassPayload, a.Status, a.Call.Redact.Clean(p.Error()))
	e.Ambiguous = false

	return e
}
