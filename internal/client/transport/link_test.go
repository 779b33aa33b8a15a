// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"slices"
	"testing"
)

func TestNextLinks_targetsOfLinksToANextPage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		headers []string
		want    []string
		broken  bool
	}{
		"none":              {},
		"GitHub":            {headers: []string{`<https://h/x?page=1>; rel="prev", <https://h/x?page=3>; rel="next"`}, want: []string{"https://h/x?page=3"}},
		"without quotes":    {headers: []string{`</x?p=2>;rel=next`}, want: []string{"/x?p=2"}},
		"empty parameters":  {headers: []string{`</x?p=2>;; rel="next";`}, want: []string{"/x?p=2"}},
		"blanks in a value": {headers: []string{`</x?p=2>; title=Page 2; rel=next`}, want: []string{"/x?p=2"}},
		"several relations": {headers: []string{`<?p=2>; title="a, b; rel=\"next\""; REL="last NEXT"`}, want: []string{"?p=2"}},
		"two headers":       {headers: []string{`<?p=1>; rel=self`, `<?p=2>; rel=next`, `<?p=2>; rel=next`}, want: []string{"?p=2", "?p=2"}},
		"two targets":       {headers: []string{`<?p=2>; rel=next, <?p=3>; rel=next`}, want: []string{"?p=2", "?p=3"}},
		"another relation":  {headers: []string{`</next>; rel="nextday", <x>; rev=next, <y>; anchor="next"; crossorigin`}},
		"in a target":       {headers: []string{`</a,b;rel=next>; rel=style`}},
		"empty parts":       {headers: []string{` , <?p=2>; rel=next,, `}, want: []string{"?p=2"}},

		"a target that does not end": {headers: []string{`</x; rel=next`}, broken: true},
		"a quote that does not end":  {headers: []string{`</x>; rel="next`}, broken: true},
		"a quote in quotes":          {headers: []string{`</2>; title="5" screens"; rel="next"`}, broken: true},
		"text between":               {headers: []string{`</x> rel=next`}, broken: true},
		"no target":                  {headers: []string{`/x; rel=next`}, broken: true},
		"another that does not end":  {headers: []string{`</x>; rel="prev`}},
	} {
		got, err := NextLinks(http.Header{"Link": c.headers})
		if !slices.Equal(got, c.want) || (err != nil) != c.broken {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
