package records

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestSplit_signsOfAnErrorOrAFurtherPage(t *testing.T) {
	t.Parallel()

	const event = `{"type":"event","id":1}` + "\n"
	for text, want := range map[string]error{
		// In first, last and sole records.
		event + `{"error":"x"}`:            ErrFailed,
		event + `{"message":"not found"}`:  ErrFailed,
		event + `{"status":"queued"}`:      ErrUnfinished,
		event + `null`:                     ErrNoRecord,
		event + `"not found"`:              ErrNoRecord,
		`{"error":"x"}` + "\n" + event:     ErrFailed,
		`{"error":"x"}`:                    ErrFailed,
		`{"message":"not found"}`:          ErrFailed,
		`{"status":"queued"}`:              ErrUnfinished,
		`{"id":"job-7","status":"queued"}`: ErrUnfinished,
		`{}`:                               ErrNoRecord,
		`[null]`:                           ErrNoRecord,
		`["not found"]`:                    ErrNoRecord,
		`[null,null]`:                      ErrNoRecord,
		`[{"id":1},null]`:                  ErrNoRecord,
		`[1,2]`:                            ErrNoRecord,
		`[{}]`:                             ErrNoRecord,
		`[{"error":"x"}]`:                  ErrFailed,
		`{"events":[{"id":1},{"error":{"code":5}}]}`: ErrFailed,
		// At any depth of an envelope.
		`{"events":[],"pagination":{"next_cursor":"abc"}}`:              ErrPage,
		`{"data":{"events":[],"meta":{"paging":{"hasMore":true}}}}`:     ErrPage,
		`{"links":{"next":"https://example.com/2"},"events":[]}`:        ErrPage,
		`{"links":[{"rel":"next","href":"x"}],"events":[]}`:             ErrPage,
		`{"@odata.nextLink":"x","value":[],"events":[]}`:                ErrPage,
		`{"events":[],"isTruncated":true}`:                              ErrPage,
		`{"events":[],"totalPages":3}`:                                  ErrPage,
		`{"events":[{"id":1}],"total":2}`:                               ErrPage,
		`{"meta":{"totalCount":"2","total":2},"events":[{"id":1}]}`:     ErrPage,
		`{"persons":[{"id":1}],"sessions":[],"events":300}`:             ErrPage,
		`{"events":{"items":[{"id":1}],"total":5},"total":1}`:           ErrPage,
		`{"events":[],"complete":false}`:                                ErrUnfinished,
		`{"events":[],"status":"processing"}`:                           ErrUnfinished,
		`{"events":[],"job":{"state":"RUNNING"}}`:                       ErrUnfinished,
		`{"events":"https://example.com/x","persons":[]}`:               ErrElsewhere,
		`{"data":"https://example.com/x","persons":[]}`:                 ErrElsewhere,
		`{"events":[],"downloadUrl":"https://example.com/x"}`:           ErrElsewhere,
		`{"events":[{"id":1}]}` + "\n" + `{"events":[],"error":"late"}`: ErrFailed,
		// And none of these.
		`{"events":[{"id":1}],"total":1,"count":1,"totalPages":1,"errors":0,"status":"ok"}`: nil,
		`{"events":[{"id":1,"error":"x"},{"id":2,"status":"pending","next":"page"}]}`:       nil,
		`[{"id":1,"message":"x"}]`:                                    nil,
		`[{"timestamp":"x","message":"signed in"}]`:                   nil,
		`[{"type":"error","id":1,"name":"crash","error":{"code":5}}]`: nil,
		`{"events":[],"next":null,"links":{"self":"x"}}`:              nil,
		event + `{"type":"event","error":"x"}`:                        nil,
		`{"persons":null,"events":[{"id":1}]}`:                        nil,
	} {
		if _, _, err := splitText(text, Unknown); !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v", text, err, want)
		}
	}
}

func TestSplit_signsWhenOneKindWasAskedFor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		`{"id":1}` + "\n" + `{"error":"x"}`: ErrFailed,
		`[{"id":1},{"message":"x"}]`:        ErrFailed,
		`{"data":[{"status":"queued"}]}`:    ErrUnfinished,
		`["not found"]`:                     ErrNoRecord,
		`{"persons":[]}`:                    ErrOtherKind,
		`{"persons":[],"events":[]}`:        nil,
	} {
		if _, _, err := splitText(text, Event); !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v", text, err, want)
		}
	}
}

func TestSplit_ignoredMembersGiveNoSign(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"events":[{"id":1}],"links":{"next":"x"},"total":7}`, `[{"id":1},{"next":"x","total":1}]`,
	} {
		_, err := Split(strings.NewReader(text), Options{Ignored: []string{"next", "total"}}, keep)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSplit_objectWithMembersOfItsOwnIsARecord(t *testing.T) {
	t.Parallel()

	pad := strings.Repeat("x", blockSize+1000)
	person := `{"id":"p1","name":"` + pad + `","events":[{"n":1},{"n":2}]}`
	small := strings.ReplaceAll(person, pad, "x")
	for name, c := range map[string]struct {
		text    string
		options Options
		want    int64
		err     error
	}{
		"declared lines, the first over a block": {person + "\n" + person + "\n", Options{Lines: true}, 2, nil},
		"lines, the first over a block":          {person + "\n" + person + "\n", Options{}, 2, nil},
		"declared line alone":                    {small + "\n", Options{Lines: true}, 1, nil},
		"alone, and nothing says what it is":     {person, Options{}, 0, ErrAmbiguous},
		"alone, said to be a record":             {small, Options{Shape: ShapeRecords}, 1, nil},
		"alone, said to hold records":            {small, Options{Shape: ShapeEnvelope}, 2, nil},
		"events before the id":                   {`{"events":[{"n":"` + pad + `"}],"id":"p1"}`, Options{}, 0, ErrAmbiguous},
		"events before the id, said to be lines": {`{"events":[{"n":"` + pad + `"}],"id":"p1"}` + "\n", Options{Lines: true}, 1, nil},
		"elements of an array":                   {`[` + small + `,` + small + `]`, Options{}, 2, nil},
		"pages as elements of an array":          {`[{"events":[{"id":1}]}]`, Options{}, 0, ErrAmbiguous},
		"pages with their date":                  {`{"date":"x","persons":[{"id":1}]}` + "\n" + `{"date":"x","events":[]}`, Options{}, 0, ErrAmbiguous},
		"pages with their date, said to be":      {`{"date":"x","persons":[{"id":1}]}` + "\n" + `{"date":"x","events":[]}`, Options{Shape: ShapeEnvelope}, 1, nil},
		"an envelope with a member of its own":   {`{"id":"x","events":[{"id":1}]}`, Options{}, 0, ErrAmbiguous},
		"said to be an envelope, and an array":   {`[{"id":1}]`, Options{Shape: ShapeEnvelope}, 0, ErrShape},
	} {
		res, err := Split(strings.NewReader(c.text), c.options, keep)
		if !errors.Is(err, c.err) || err == nil && res.Counts.Total() != c.want {
			t.Errorf("%s: %v, %v; want %d, %v", name, res.Counts, err, c.want, c.err)
		}
	}
}

func TestSplit_aHundredPersonsWithListsStayAHundred(t *testing.T) {
	t.Parallel()
	person := `{"identityId":"u","profile":{"name":"x"},"events":[` + strings.Repeat(`{"n":1},`, 299) + `{"n":2}]}` + "\n"
	for _, lines := range []bool{true, false} {
		res, err := Split(strings.NewReader(strings.Repeat(person, 100)), Options{Lines: lines}, keep)
		if err != nil || res.Counts != (Counts{Unknown: 100}) {
			t.Errorf("%v, %v", res.Counts, err)
		}
	}
}

func TestSplit_bytesOfARecordStayWhereTheGrammarAllowsThem(t *testing.T) {
	t.Parallel()
	const lone = `{"events":[{"text":"cut \ud83d","\udc00":1}]}`
	got, _, err := splitText(lone, Unknown)
	if diff := cmp.Diff([]string{`event {"text":"cut \ud83d","\udc00":1}`}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestSplit_invalidUTF8IsReplacedAndCountedOnRequest(t *testing.T) {
	t.Parallel()
	const text = "[{\"id\":1,\"a\":\"x\xffy\"},{\"id\":2},{\"id\":3,\"a\":\"\xc3\",\"b\":\"\xe2\x82\"}]"
	var got []string
	res, err := Split(strings.NewReader(text), Options{ReplaceInvalid: true}, func(_ Kind, record jsontext.Value) error {
		got = append(got, string(record))
		return nil
	})

	want := []string{"{\"id\":1,\"a\":\"x\uFFFDy\"}", `{"id":2}`, "{\"id\":3,\"a\":\"\uFFFD\",\"b\":\"\uFFFD\"}"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" || res.Mended != 2 {
		t.Errorf("%v, %d records\n%s", err, res.Mended, diff)
	}

	_, err = Split(strings.NewReader(text), Options{}, keep)
	if !errors.Is(err, ErrUTF8) || !strings.Contains(err.Error(), "at byte 15") {
		t.Errorf("without the setting: %v", err)
	}
}
