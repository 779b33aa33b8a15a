package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// reading is all that a caller of Split sees.
type reading struct {
	records string
	res     Result
	err     string
}

// readWith reads an answer in blocks of a given size, with a given number of goroutines.
func readWith(r io.Reader, o Options, block, workers int) reading {
	var b strings.Builder
	o.Workers = workers
	res, err := split(newSource(r, block), o, func(k Kind, record jsontext.Value) error {
		fmt.Fprintln(&b, k, string(record))
		return nil
	})

	return reading{b.String(), res, fmt.Sprint(err)}
}

// wantSame fails the test if reading an answer in small blocks, concurrently, or byte by
// byte gives another result than reading it in one block by one goroutine.
func wantSame(t *testing.T, text []byte, o Options) {
	t.Helper()
	want := readWith(bytes.NewReader(text), o, blockSize, 1)
	for _, block := range []int{16, 64, 300} {
		for _, workers := range []int{1, 3} {
			if got := readWith(bytes.NewReader(text), o, block, workers); got != want {
				t.Fatalf("%q\nblocks of %d, %d goroutines: %+v\nalone: %+v", text, block, workers, got, want)
			}
		}
	}

	if got := readWith(iotest.OneByteReader(bytes.NewReader(text)), o, 64, 2); got != want {
		t.Fatalf("%q\nbyte by byte: %+v\nalone: %+v", text, got, want)
	}
}

// TestSplit_parallelMakesNoDifference reads generated answers, intact and damaged, that
// are full of what looks like a boundary between records.
func TestSplit_parallelMakesNoDifference(t *testing.T) {
	t.Parallel()
	for seed := range soak.Raced(40, 150) {
		g := generator{rand.New(rand.NewPCG(1, uint64(seed)))}
		text := g.answer()
		o := Options{Asked: Kind(g.IntN(8) % len(kindNames)), Lines: g.IntN(2) == 0, Shape: Shape(g.IntN(6) % 3), ReplaceInvalid: g.IntN(2) == 0}
		wantSame(t, text, o)
		wantSame(t, g.damaged(text), o)
	}
}

// generator generates answers.
type generator struct{ *rand.Rand }

// hostile are parts of strings: boundaries, escapes, and bytes that are not UTF-8.
var hostile = []string{
	`},{`, `}\n{`, `\"},{\"id\":1`, `\\`, `\u007d,{`, `\ud83d`, `\ud83d\ude00`, `é`, "\xff", `]`, `}`, `],"sessions":[`, `\n`, `x`, `"`,
}

func (g generator) text() string {
	var b strings.Builder
	for range g.IntN(5) {
		part := hostile[g.IntN(len(hostile))]
		if (part == "\xff" || part == `"`) && g.IntN(20) > 0 {
			part = "z"
		}
		b.WriteString(part)
	}

	return `"` + b.String() + `"`
}

func (g generator) space() string { return []string{"", "", "", " ", "\n", "\r\n  "}[g.IntN(6)] }

func (g generator) object(depth int) string {
	names := []string{"id", "n", "type", "events", "data", "x", "message", "error", "a b", `\u0069d`}
	begin := g.IntN(len(names))
	var members []string
	for i := range g.IntN(4) + 1 {
		name := names[(begin+i)%len(names)]
		if i == 0 && g.IntN(3) > 0 {
			name = "id"
			begin = 0
		}
		members = append(members, `"`+name+`":`+g.space()+g.value(depth-1))
	}

	return "{" + strings.Join(members, ","+g.space()) + "}"
}

func (g generator) value(depth int) string {
	switch n := g.IntN(9); {
	case n < 3 || depth <= 0:
		return g.text()
	case n == 3:
		return []string{"0", "17", "-1.5e3", "true", "null", `"event"`, `"person"`}[g.IntN(7)]
	case n < 6:
		return g.object(depth)
	}

	var elements []string
	for range g.IntN(4) {
		elements = append(elements, g.object(depth-1))
	}

	return "[" + strings.Join(elements, ",") + "]"
}

func (g generator) records(between string) string {
	list := make([]string, g.IntN(25))
	for i := range list {
		if list[i] = g.object(3); g.IntN(40) == 0 {
			list[i] = g.value(3)
		}
	}

	return strings.Join(list, between)
}

func (g generator) answer() []byte {
	space := g.space()
	switch g.IntN(5) {
	case 0:
		return []byte("[" + space + g.records(space+","+g.space()) + "]")

	case 1:
		return []byte(g.records("\n") + g.space())

	case 2:
		return []byte(g.records(g.space()))

	case 3:
		return []byte(`{"persons":[` + g.records(",") + `],"count":3,"events":` + space + `[` + g.records(","+space) + `]}` + g.space())
	}

	return []byte(`{"data":{"sessions":[` + g.records(",") + `],"others":[` + g.records(",") + `]},"x":[` + g.records(",") + `]}`)
}

// damaged returns a copy in which some bytes are altered, missing or doubled.
func (g generator) damaged(text []byte) []byte {
	text = bytes.Clone(text)
	for range g.IntN(3) + 1 {
		if len(text) == 0 {
			break
		}

		at := g.IntN(len(text))
		switch g.IntN(4) {
		case 0:
			text[at] = "{}[],:\"\\ \n\xffx0"[g.IntN(13)]

		case 1:
			text = append(text[:at], text[at+1:]...)

		case 2:
			text = append(text[:at], append([]byte{text[at]}, text[at:]...)...)

		case 3:
			text = text[:at]
		}
	}

	return text
}

// FuzzSplitParallel is TestSplit_parallelMakesNoDifference for arbitrary bytes.
func FuzzSplitParallel(f *testing.F) {
	g := generator{rand.New(rand.NewPCG(2, 3))}
	for range 40 {
		f.Add(g.answer(), uint8(g.IntN(256)))
	}

	for _, text := range []string{
		`[1,2,3]`, `[{"a":1},{"a":1},]`, "[{\"\":{\"\":[]}},\n }", "{\"a\":1}\n{\"a\":1}\n1 2 3", `[{"id":"},{"},{"id":"},{\"id\""},{"id":"\\"},{"id":[{"id":1},{"id":2}]}]`,
		`{"events":[{"id":1},{"id":2}],"events":[]}`, `[[{"id":1},{"id":2}],[{"id":1},{"id":2}]]`,
	} {
		f.Add([]byte(text), uint8(0))
	}

	f.Fuzz(func(t *testing.T, text []byte, how uint8) {
		wantSame(t, text, Options{Asked: Kind(how % 4), Lines: how&4 > 0, ReplaceInvalid: how&8 > 0, Shape: Shape(how >> 4 % 3)})
	})
}

func TestSplit_parallelPassesOnErrorsOfReaderAndReceiver(t *testing.T) {
	t.Parallel()
	text := answerOf(8000, "[", ",", "]")[:3<<20]
	broken, refused := errors.New("broken"), errors.New("refused")

	n := 0
	_, err := Split(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(broken)), Options{Workers: 4}, func(Kind, jsontext.Value) error { n++; return nil })
	if !errors.Is(err, broken) || n < 1000 {
		t.Errorf("after %d records: %v", n, err)
	}

	n = 0
	_, err = Split(bytes.NewReader(text), Options{Workers: 4}, func(Kind, jsontext.Value) error {
		if n++; n == 5000 {
			return refused
		}
		return nil
	})
	if err != refused || n != 5000 { //nolint:errorlint // exactly as it is
		t.Errorf("after %d records: %v", n, err)
	}
	if _, err = Split(bytes.NewReader(text), Options{Workers: 4}, keep); !errors.Is(err, ErrTruncated) {
		t.Errorf("an answer that is cut: %v", err)
	}
}

func TestSplit_parallelEndsOnAPanicOfTheReceiver(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("the panic is gone")
		}
	}()

	n := 0
	_, _ = Split(bytes.NewReader(answerOf(8000, "[", ",", "]")), Options{Workers: 3}, func(Kind, jsontext.Value) error {
		if n++; n == 5000 {
			panic("of the receiver")
		}
		return nil
	})
}
