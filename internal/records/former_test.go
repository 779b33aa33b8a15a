package records

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	former "github.com/terraform-analytics/terraform-provider-analytics/internal/records/former"
)

// FuzzReadAsBefore compares Read with the reader that it replaces: where both accept an
// answer they agree on every byte, and neither overlooks what is no JSON.
func FuzzReadAsBefore(f *testing.F) {
	g := generator{rand.New(rand.NewPCG(2, 3))}
	for range 60 {
		f.Add([]byte(g.answer()), uint8(g.IntN(256)))
	}

	f.Fuzz(func(t *testing.T, text []byte, how uint8) { compare(t, text, how) })
}

// TestRead_asBefore is FuzzReadAsBefore for generated answers, of which both accept many.
func TestRead_asBefore(t *testing.T) {
	t.Parallel()

	accepted := 0
	for seed := range 4_000 {
		g := generator{rand.New(rand.NewPCG(1, uint64(seed)))}
		if compare(t, []byte(g.answer()), uint8(g.IntN(256))) {
			accepted++
		}
	}
	t.Logf("both accept %d", accepted)
	if accepted < 600 {
		t.Errorf("both accept only %d", accepted)
	}
}

// unusual matches discriminators and words of which the two readers know other spellings.
var unusual = regexp.MustCompile(`(?i)list|record\.?records|[@$]|\\u|[ .-]type"|[ .-]kind"|[a-z.]_type"|[a-z.]_kind"|T[yY]|tY|[tT]yP|YPE"|[kK]I|K[iI]|kiN|IND"|[a-z](type|kind)"`)

// compare reads an answer with both readers, and reports whether both accept it.
func compare(t *testing.T, text []byte, how uint8) bool {
	t.Helper()

	// Words count in more spellings than before, and EventList is no event any more.
	kinds := !unusual.Match(text)
	write := func(b *strings.Builder, kind fmt.Stringer, record jsontext.Value) error {
		if kinds {
			b.WriteString(kind.String() + " ")
		}
		_, err := fmt.Fprintln(b, string(record))
		return err
	}

	var before, now strings.Builder
	old := former.Options{Asked: former.Kind(how % 4), ReplaceInvalid: how&4 > 0, Workers: 1 + int(how>>5&1)}
	oldRes, oldErr := former.Split(bytes.NewReader(text), old, func(k former.Kind, record jsontext.Value) error {
		return write(&before, k, record)
	})

	o := Options{Asked: Kind(how % 4), ReplaceInvalid: how&4 > 0}
	if how&16 > 0 {
		o.RecordMember = "id"
	}
	res, err := Read(bytes.NewReader(text), o, func(k Kind, record jsontext.Value) error {
		return write(&now, k, record)
	})

	// An object of empty lists, or of a list with a name of its own, was taken for a record,
	// and a zero byte for the end. Text that is not UTF-8 is found in records alone.
	if err == nil && oldErr == nil && res.Closed && !oldRes.Closed && oldRes.Counts.Total() == 1 ||
		bytes.IndexByte(text, 0) >= 0 || errors.Is(oldErr, former.ErrUTF8) && res.Counts.Total() == 0 {
		return false
	}
	if err == nil && oldErr == nil {
		if now.String() != before.String() || oldRes.Counts.Total() != res.Counts.Total() || oldRes.Mended != res.Mended || res.Closed != oldRes.Closed {
			t.Errorf("%q with %d\nbefore: %+v\n%s\nnow: %+v\n%s", text, how, oldRes, before.String(), res, now.String())
		}
		return true
	}

	if err == nil {
		for _, known := range []error{former.ErrTruncated, former.ErrSyntax, former.ErrRepeatedName, former.ErrOtherKind, former.ErrTooLarge} {
			// An empty list may be one of the kind that was asked for.
			if errors.Is(oldErr, known) && (known != former.ErrOtherKind || res.Counts.Total() > 0) {
				t.Errorf("%q with %d is accepted, and before: %v", text, how, oldErr)
			}
		}
	}
	if _, refused := errors.AsType[*Refusal](err); err != nil && oldErr == nil && !refused && !errors.Is(err, ErrFollowed) {
		t.Errorf("%q with %d was accepted, and now: %v", text, how, err)
	}

	return false
}

// generator generates answers, mostly of the shapes that both readers accept.
type generator struct{ *rand.Rand }

func (g generator) one(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) value() string {
	return g.one(`1`, `"x"`, `"event"`, `"person"`, `null`, `true`, `[1,{"type":"event"}]`, `{"type":"session"}`, `"\ud83d"`, `"},{\"id\":1"`, "\"\xff\"", `[]`, `{}`, `1.5e3`)
}

func (g generator) record() string {
	names := []string{"id", "n", "events", "a b", "error", "id2", "status", "next", "data"}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var members []string
	if g.IntN(8) > 0 {
		members = append(members, g.one(`"type":"event"`, `"kind":"person"`, `"recordType":"session"`, `"_type":"EventRecord"`, `"type":"click"`, `"id":1`, `"identityId":"u"`))
	}
	for _, name := range names[:g.IntN(4)] {
		members = append(members, `"`+name+`":`+g.value())
	}
	if len(members) > 1 && g.IntN(3) == 0 {
		members[0], members[1] = members[1], members[0]
	}
	if g.IntN(30) == 0 {
		return `{"event":{` + strings.Join(members, ",") + `}}`
	}

	return "{" + strings.Join(members, ","+g.one("", " ", "\n")) + "}"
}

func (g generator) records(between string) string {
	list := make([]string, g.IntN(6))
	for i := range list {
		if list[i] = g.record(); g.IntN(200) == 0 {
			list[i] = g.value()
		}
	}
	return strings.Join(list, between)
}

func (g generator) object() string {
	names := []string{"persons", "sessions", "events", "data", "items", "People", "event_records"}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var members []string
	for _, name := range names[:1+g.IntN(3)] {
		value := "[" + g.records(",") + "]"
		if g.IntN(8) == 0 {
			value = g.one("null", `{"items":`+value+"}", g.object())
		}
		members = append(members, `"`+name+`":`+value)
	}
	if g.IntN(8) == 0 {
		members = append(members, g.one(`"count":3`, `"total":0`, `"total":1`, `"tenant":"web"`, `"hasMore":false`))
	}
	return "{" + strings.Join(members, ","+g.one("", " ", "\n")) + "}"
}

func (g generator) answer() string {
	text := g.one("", "", "", "\uFEFF")
	switch g.IntN(3) {
	case 0:
		text += "[" + g.records(","+g.one("", " ", "\r\n")) + "]"
	case 1:
		text += g.records("\n") + g.one("", "\n")
	default:
		text += g.object() + g.one("", " ", "\n")
	}

	if g.IntN(6) > 0 {
		return text
	}
	at := g.IntN(len(text) + 1)
	return text[:at] + g.one("", "{", "]", ",", "x", "\xff", `"`) + text[min(len(text), at+g.IntN(2)):]
}
