// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"fmt"
	"hash/fnv"
	"iter"
	"regexp"
)

// generatedDay returns a day with that many events, and with a session for every twenty
// and a person for every hundred of them. The records are generated while they are read;
// they depend on scope, date and number alone.
func generatedDay(scope Scope, date string, events int) exportDay {
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %s", scope, date)
	id := fmt.Sprintf("-%s-%08x-#########", date, h.Sum32())
	instant := date + `T##:##:##.###Z"}`

	person := `{"id":"per` + id + `","identityId":"user-########@example.com","profile":{"plan":"gold","locale":"de-DE",` +
		`"name":"Zoë \"Zo\" Müller","city":"\u00c5rhus"},"sessions":20,"consented":true,"firstSeen":"` + instant
	session := `{"id":"ses` + id + `","personId":"per` + id + `","durationMs":#######,"browser":"Firefox 140.0","os":"Linux",` +
		`"country":null,"bounced":false,"startedAt":"` + instant
	event := `{"id":"evt` + id + `","sessionId":"ses` + id + `","identityId":"user-########@example.com","name":"button.clicked",` +
		`"properties":{"path":"/settings/profile/####","title":"Café – \"settings\"","durationMs":####,"flags":[true,false,null],` +
		`"viewport":{"width":1920,"height":1080,"scale":1.25}},"context":{"locale":"en-GB","referrer":"https://www.example.com/"},"timestamp":"` + instant

	return exportDay{
		generated((events+99)/100, person, func(i int) []int { return []int{i, i} }),
		generated((events+19)/20, session, func(i int) []int { return []int{i, i / 5, 1_000_000 + i%500_000} }),
		generated(events, event, func(i int) []int { return []int{i, i / 20, i / 100, i % 1000, 1000 + i%9000} }),
	}
}

// generated returns n records of a pattern, in which each row of "#" stands for a number with
// leading zeros: those of the record, and its time of the day. It is fast, so that generating
// a day does not dominate the time of reading it.
func generated(n int, pattern string, numbers func(i int) []int) iter.Seq[[]byte] {
	places := regexp.MustCompile("#+").FindAllStringIndex(pattern, -1)

	return func(yield func([]byte) bool) {
		record := []byte(pattern)
		for i := range n {
			second := i * 7 % 86_400
			for place, number := range append(numbers(i), second/3600, second/60%60, second%60, i%1000) {
				for at := places[place][1] - 1; at >= places[place][0]; at-- {
					record[at] = byte('0' + number%10)
					number /= 10
				}
			}

			if !yield(record) {
				return
			}
		}
	}
}
