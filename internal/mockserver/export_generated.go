// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"fmt"
	"hash/fnv"
)

// piece is a part of a generated record: a text, and a number after it with leading zeros
// to a width of at most nine digits.
type piece struct {
	text   string
	number func(i int) int
	width  int
}

// generatedDay returns a day with that many events, and with a session for every twenty
// and a person for every hundred of them. The records are generated while they are read;
// they depend on scope, date and number alone.
func generatedDay(scope Scope, date string, events int) exportDay {
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %s", scope, date)
	id := fmt.Sprintf("-%s-%08x-", date, h.Sum32())

	number := func(i int) int { return i }
	over := func(n int) func(int) int { return func(i int) int { return i / n } }
	instant := func(before string) []piece {
		second := func(i int) int { return i * 7 % 86_400 }
		return []piece{
			{before + date + "T", func(i int) int { return second(i) / 3600 }, 2},
			{":", func(i int) int { return second(i) / 60 % 60 }, 2},
			{":", func(i int) int { return second(i) % 60 }, 2},
			{".", func(i int) int { return i % 1000 }, 3},
		}
	}

	person := append([]piece{{`{"id":"per` + id, number, 9}, {`","identityId":"user-`, number, 8}}, instant(`@example.com","firstSeen":"`)...)
	person = append(person, piece{text: `Z","profile":{"plan":"gold","locale":"de-DE","name":"Zoë \"Zo\" Müller","city":"\u00c5rhus"},"sessions":20,"consented":true}`})

	session := append([]piece{{`{"id":"ses` + id, number, 9}, {`","personId":"per` + id, over(5), 9}}, instant(`","startedAt":"`)...)
	session = append(session,
		piece{`Z","durationMs":`, func(i int) int { return 1_000_000 + i%500_000 }, 7},
		piece{text: `,"browser":"Firefox 140.0","os":"Linux","country":null,"bounced":false}`})

	event := []piece{{`{"id":"evt` + id, number, 9}, {`","sessionId":"ses` + id, over(20), 9}, {`","identityId":"user-`, over(100), 8}}
	event = append(event, instant(`@example.com","name":"button.clicked","timestamp":"`)...)
	event = append(event,
		piece{`Z","properties":{"path":"/settings/profile/`, func(i int) int { return i % 1000 }, 4},
		piece{`","title":"Café – \"settings\"","durationMs":`, func(i int) int { return 1000 + i%9000 }, 4},
		piece{text: `,"flags":[true,false,null],"viewport":{"width":1920,"height":1080,"scale":1.25}},"context":{"locale":"en-GB","referrer":"https://www.example.com/"}}`})

	return exportDay{
		generated((events+99)/100, person), generated((events+19)/20, session), generated(events, event), generated(0, nil),
	}
}

// generated returns n records of the same pieces.
func generated(n int, pieces []piece) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		buffer := make([]byte, 0, 1<<10)
		for i := range n {
			record := buffer
			for _, p := range pieces {
				record = append(record, p.text...)
				if p.number != nil {
					record = digits(record, p.number(i), p.width)
				}
			}
			if !yield(record) {
				return
			}
		}
	}
}

// digits appends n with leading zeros to a width of at most nine digits. It is faster
// than strconv, so that generating a day does not dominate the time of reading it.
func digits(b []byte, n, width int) []byte {
	at := len(b) + width
	b = append(b, "000000000"[:width]...)

	for ; n > 0 && width > 0; width-- {
		at--
		b[at] = byte('0' + n%10)
		n /= 10
	}

	return b
}
