// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"fmt"
	"hash/fnv"
	"iter"
)

// generatedDay returns a day with that many events, and with a session for every twenty
// and a person for every hundred of them. The records are generated while they are read;
// they depend on scope, date and number alone.
func generatedDay(scope Scope, date string, events int) exportDay {
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %s", scope, date)
	id := fmt.Sprintf("-%s-%08x-", date, h.Sum32())

	instant := func(b []byte, i int) []byte {
		second := i * 7 % 86_400
		return fmt.Appendf(b, "%sT%02d:%02d:%02d.%03dZ", date, second/3600, second/60%60, second%60, i%1000)
	}

	person := func(b []byte, i int) []byte {
		b = fmt.Appendf(b, `{"id":"per%s%09d","identityId":"user-%08d@example.com","firstSeen":"`, id, i, i)
		return append(instant(b, i), `","profile":{"plan":"gold","locale":"de-DE","name":"Zoë \"Zo\" Müller","city":"\u00c5rhus"},"sessions":20,"consented":true}`...)
	}
	session := func(b []byte, i int) []byte {
		b = fmt.Appendf(b, `{"id":"ses%s%09d","personId":"per%s%09d","startedAt":"`, id, i, id, i/5)
		return fmt.Appendf(instant(b, i), `","durationMs":%d,"browser":"Firefox 140.0","os":"Linux","country":null,"bounced":false}`, 1_000_000+i%500_000)
	}
	event := func(b []byte, i int) []byte {
		b = fmt.Appendf(b, `{"id":"evt%s%09d","sessionId":"ses%s%09d","identityId":"user-%08d@example.com","name":"button.clicked","timestamp":"`, id, i, id, i/20, i/100)
		return fmt.Appendf(instant(b, i), `","properties":{"path":"/settings/profile/%04d","title":"Café – \"settings\"","durationMs":%d,"flags":[true,false,null],`+
			`"viewport":{"width":1920,"height":1080,"scale":1.25}},"context":{"locale":"en-GB","referrer":"https://www.example.com/"}}`, i%1000, 1000+i%9000)
	}

	return exportDay{generated((events+99)/100, person), generated((events+19)/20, session), generated(events, event)}
}

// generated returns n records, each of which record appends.
func generated(n int, record func(b []byte, i int) []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		buffer := make([]byte, 0, 1<<10)
		for i := range n {
			if !yield(record(buffer, i)) {
				return
			}
		}
	}
}
