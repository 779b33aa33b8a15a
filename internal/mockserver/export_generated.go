// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"fmt"
	"hash/fnv"
)

// generatedDay is a day whose records are generated while they are read and never held.
// They depend on scope, date and number alone.
type generatedDay struct {
	date   string
	salt   uint64
	counts [Kinds + 1]int
}

// newGeneratedDay returns a day with that many events, and with a session for every
// twenty and a person for every hundred of them.
func newGeneratedDay(scope Scope, date string, events int) generatedDay {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %s", scope, date)

	return generatedDay{date: date, salt: h.Sum64(), counts: [Kinds + 1]int{(events + 99) / 100, (events + 19) / 20, events, 0}}
}

func (d generatedDay) each(kind int, write func([]byte) error) error {
	record := [...]func([]byte, int) []byte{d.person, d.session, d.event, nil}[kind]
	buffer := make([]byte, 0, 1<<10)

	for i := range d.counts[kind] {
		if err := write(record(buffer, i)); err != nil {
			return err
		}
	}

	return nil
}

func (d generatedDay) person(b []byte, i int) []byte {
	b = append(b, `{"id":"`...)
	b = d.id(b, "per", i)
	b = append(b, `","identityId":"user-`...)
	b = digits(b, i, 8)
	b = append(b, `@example.com","firstSeen":"`...)
	b = d.time(b, i)
	return append(b, `","profile":{"plan":"gold","locale":"de-DE","name":"Zoë \"Zo\" Müller","city":"\u00c5rhus"},"sessions":20,"consented":true}`...)
}

func (d generatedDay) session(b []byte, i int) []byte {
	b = append(b, `{"id":"`...)
	b = d.id(b, "ses", i)
	b = append(b, `","personId":"`...)
	b = d.id(b, "per", i/5)
	b = append(b, `","startedAt":"`...)
	b = d.time(b, i)
	b = append(b, `","durationMs":`...)
	b = digits(b, 1_000_000+i%500_000, 7)

	return append(b, `,"browser":"Firefox 140.0","os":"Linux","country":null,"bounced":false}`...)
}

func (d generatedDay) event(b []byte, i int) []byte {
	b = append(b, `{"id":"`...)
	b = d.id(b, "evt", i)
	b = append(b, `","sessionId":"`...)
	b = d.id(b, "ses", i/20)
	b = append(b, `","identityId":"user-`...)
	b = digits(b, i/100, 8)
	b = append(b, `@example.com","name":"button.clicked","timestamp":"`...)
	b = d.time(b, i)
	b = append(b, `","properties":{"path":"/settings/profile/`...)
	b = digits(b, i%1000, 4)
	b = append(b, `","title":"Café – \"settings\"","durationMs":`...)
	b = digits(b, 1000+i%9000, 4)

	return append(b, `,"flags":[true,false,null],"viewport":{"width":1920,"height":1080,"scale":1.25}},"context":{"locale":"en-GB","referrer":"https://www.example.com/"}}`...)
}

// id appends an ID that differs for every scope, date, prefix and number.
func (d generatedDay) id(b []byte, prefix string, i int) []byte {
	b = append(b, prefix...)
	b = append(b, '-')
	b = append(b, d.date...)
	b = append(b, '-')
	b = hexadecimal(b, d.salt)
	b = append(b, '-')
	return digits(b, i, 9)
}

// time appends an instant of the day.
func (d generatedDay) time(b []byte, i int) []byte {
	second := i * 7 % 86_400
	b = append(b, d.date...)
	b = append(b, 'T')
	b = digits(b, second/3600, 2)
	b = append(b, ':')
	b = digits(b, second/60%60, 2)
	b = append(b, ':')
	b = digits(b, second%60, 2)
	b = append(b, '.')
	b = digits(b, i%1000, 3)

	return append(b, 'Z')
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

func hexadecimal(b []byte, n uint64) []byte {
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[n>>shift&15])
	}
	return b
}
