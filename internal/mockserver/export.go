package mockserver

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Kinds is how many kinds of records an export has: Person, Session and Event, in
// this order (section 4, Export).
const Kinds = 3

// dayLayout is the form of utcDate (section 4, Export).
const dayLayout = "2006-01-02"

// ExportDay is what the service holds of one UTC day. A record is anything that can be
// written as JSON; the interface does not show what is in one (section 2).
type ExportDay struct {
	Persons, Sessions, Events []any
	// Others are records that nobody could attribute to a kind. An object of arrays has
	// them under "others", every other shape without a discriminator.
	Others []any
}

// PutExport sets the records of one UTC day, YYYY-MM-DD, in place of those that
// ExportRecords would make. It panics on what is no date and no JSON.
func (s *Server) PutExport(scope Scope, date string, day ExportDay) {
	if !isDay(date) {
		panic("mockserver: there is no such day: " + date)
	}
	var held explicitDay
	for i, list := range [][]any{day.Persons, day.Sessions, day.Events, day.Others} {
		for _, record := range list {
			held[i] = append(held[i], encode(record))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exports == nil {
		s.exports = map[exportKey]explicitDay{}
	}
	s.exports[exportKey{scope, date}] = held
}

type exportKey struct {
	scope Scope
	date  string
}

// others is the place behind those of the kinds.
const others = Kinds

// records are the records of a day, in their order.
type records interface {
	// each calls write with every record of a kind, or of the others, until it fails.
	// The bytes are the caller's again when write returns.
	each(kind int, write func([]byte) error) error
}

// explicitDay is a day that was put, kind by kind.
type explicitDay [Kinds + 1][][]byte

func (d explicitDay) each(kind int, write func([]byte) error) error {
	for _, record := range d[kind] {
		if err := write(record); err != nil {
			return err
		}
	}
	return nil
}

// exportRecords is GET …/export (section 4, Export), of the org/project family alone.
func (s *Server) exportRecords(c *call) answer {
	sent, ok := c.params.in(InQuery)
	if !ok {
		return failure(http.StatusBadRequest, "malformed", "The parameters cannot be read.")
	}
	date, _ := sent["utcDate"].(string)
	if !isDay(date) {
		return failure(http.StatusBadRequest, "invalid_parameters", "There are errors in the parameters.",
			FieldError{"utcDate", "has to be a date, YYYY-MM-DD"})
	}
	kinds, problem := s.Wire.exportKinds(sent)
	if problem != nil {
		return failure(http.StatusBadRequest, "invalid_parameters", "There are errors in the parameters.", *problem)
	}
	return answer{status: http.StatusOK, export: &exported{
		ExportAnswer: s.Export.withDefaults(), day: s.dayOf(c.scope, date), kinds: kinds,
	}}
}

func (s *Server) dayOf(scope Scope, date string) records {
	s.mu.Lock()
	defer s.mu.Unlock()
	if day, ok := s.exports[exportKey{scope, date}]; ok || s.ExportRecords == 0 {
		return day
	}
	return newGeneratedDay(scope, date, s.ExportRecords)
}

func isDay(date string) bool {
	t, err := time.Parse(dayLayout, date)
	return err == nil && t.Format(dayLayout) == date
}

// exportKinds are the kinds that a request chooses: all, or one where there is a
// parameter for that.
func (w Wire) exportKinds(sent map[string]any) ([]int, *FieldError) {
	if w.ExportKindParameter == "" {
		return []int{0, 1, 2, others}, nil
	}
	values := w.exportKindValues()
	chosen, _ := sent[w.ExportKindParameter].(string)
	i := slices.Index(values[:], chosen)
	if i < 0 {
		return nil, &FieldError{w.ExportKindParameter, fmt.Sprintf("has to be one of %q", values)}
	}
	return []int{i}, nil
}

func (w Wire) exportKindValues() [Kinds]string {
	if w.ExportKindValues == [Kinds]string{} {
		return kindNames
	}
	return w.ExportKindValues
}

var kindNames = [Kinds]string{"person", "session", "event"}
