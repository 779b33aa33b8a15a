package export

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// errTooMuch ends the export of a day that is larger than max_bytes.
var errTooMuch = errors.New("the day is larger than max_bytes")

// textSink keeps the records of each kind as the elements of a JSON array.
type textSink struct {
	limit int64
	size  int64
	texts [len(records.Counts{})][]byte
}

// Restart forgets every record.
func (s *textSink) Restart() error {
	*s = textSink{limit: s.limit}
	return nil
}

// Record adds one record.
func (s *textSink) Record(k records.Kind, record jsontext.Value) error {
	if s.size += int64(len(record)) + 1; s.size > s.limit {
		return errTooMuch
	}

	if len(s.texts[k]) > 0 {
		s.texts[k] = append(s.texts[k], ',')
	}
	s.texts[k] = append(s.texts[k], record...)

	return nil
}

// array returns the records of a kind as the text of a JSON array.
func (s *textSink) array(k records.Kind) types.String {
	return types.StringValue("[" + string(s.texts[k]) + "]")
}
