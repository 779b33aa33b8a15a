package acctest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, removes what they built, and fails where a
// goroutine is left over.
func Main(m *testing.M) {
	folder, err := os.MkdirTemp("", "analytics-acctest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildFolder = folder

	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}

	if code == 0 {
		// The plugin server that the CLI tests start in this process reads from its own pipes,
		// which end some time after the CLI.
		plugin := goleak.IgnoreAnyFunction("github.com/hashicorp/go-plugin.copyChan")
		if err := goleak.Find(plugin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}

	os.Exit(code)
}
