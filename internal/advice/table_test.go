package advice_test

import (
	"testing"
)

func TestCLIAdvice_ofFailures(t *testing.T) {
	t.Parallel()

	for advice, p := range failures {
		t.Run(advice, func(t *testing.T) {
			t.Parallel()

			if p.configuration == "" {
				p.configuration = consent("x")
			}
			p.perform(t, advice)
		})
	}
}
