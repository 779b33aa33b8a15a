// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"fmt"
	"testing"
)

const many = 50_000

// textOf returns an answer with many records.
func textOf(begin, between, end string) []byte {
	var b bytes.Buffer
	b.WriteString(begin)
	for i := range many {
		if i > 0 {
			b.WriteString(between)
		}

		fmt.Fprintf(&b, `{"type":"event","id":"evt-%08d","sessionId":"ses-%07d","identityId":"user-%06d@example.com","name":"button.clicked",`+
			`"timestamp":"2026-03-01T12:%02d:%02d.123Z","properties":{"path":"/settings/%d","title":"Caf\u00e9 – settings","duration_ms":%d,`+
			`"flags":[true,false,null],"nested":{"a":1.5,"b":"text with \"quotes\" inside","c":{"d":"e"}}},"context":{"browser":"Firefox 140","os":"Linux"}}`,
			i, i/20, i/100, i%60, i/60%60, i, i%10000)
	}

	b.WriteString(end)

	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	for name, text := range map[string][]byte{
		"object":         textOf(`{"events":[`, ",", "]}"),
		"array":          textOf("[", ",", "]"),
		"lines":          textOf("", "\n", "\n"),
		"object-no-kind": bytes.ReplaceAll(textOf(`{"events":[`, ",", "]}"), []byte(`"type":"event",`), nil),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()

			for b.Loop() {
				if res, err := Read(bytes.NewReader(text), Options{}, keep); err != nil || res.Counts.Total() != many {
					b.Fatal(res, err)
				}
			}
		})
	}
}
