package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	modulePath = "github.com/terraform-analytics/terraform-provider-analytics"
	// demoVersion is the version under which Terraform finds the provider that was just built.
	demoVersion = "0.1.0"
)

// hosts are the registries whose address Terraform and OpenTofu put before a
// source such as terraform-analytics/analytics.
var hosts = []string{"registry.terraform.io", "registry.opentofu.org"}

// seed is what the service knows before the demo begins.
//
//go:embed seed.json
var seed []byte

// stage is everything that the steps need, in one temporary folder: the provider
// where Terraform finds it without a registry, the running mock server, and a
// copy of the quickstart to work in.
type stage struct {
	root      string
	terraform *terraform
	service   *service
}

// newStage prepares the stage. The stage that it returns has to be cleared even
// where there is an error too.
func newStage(ctx context.Context, scr *screen) (*stage, error) {
	repository, err := findRepository(ctx)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", "analytics-demo-")
	if err != nil {
		return nil, fmt.Errorf("no temporary folder: %w", err)
	}
	st := &stage{root: root}
	err = st.prepare(ctx, repository, scr)
	return st, err
}

func (st *stage) prepare(ctx context.Context, repository string, scr *screen) error {
	path, err := findTerraform(ctx, st.root, scr)
	if err != nil {
		return err
	}
	work := filepath.Join(st.root, "quickstart")
	if err := os.CopyFS(work, os.DirFS(filepath.Join(repository, "examples", "quickstart"))); err != nil {
		return fmt.Errorf("examples/quickstart could not be copied: %w", err)
	}
	env, err := st.environment()
	if err != nil {
		return err
	}
	if st.terraform, err = newTerraform(ctx, path, work, env); err != nil {
		return err
	}
	scr.title("Consent as code: " + st.terraform.version + " and the analytics provider, against a mock of the service")

	began := time.Now()
	server, err := st.build(ctx, repository)
	if err != nil {
		return err
	}
	scr.fact("provider and mock server built in %s", seconds(time.Since(began)))

	if st.service, err = startService(ctx, server, filepath.Join(st.root, "seed.json")); err != nil {
		return err
	}
	st.terraform.env = append(st.terraform.env, st.service.environment...)
	scr.fact("mock server listens on %s, on this machine only", st.service.baseURL())
	return nil
}

// environment writes the CLI configuration and returns the environment that
// Terraform runs in.
func (st *stage) environment() ([]string, error) {
	config := filepath.Join(st.root, "terraform.rc")
	if err := os.WriteFile(config, cliConfig(st.mirror()), 0o600); err != nil {
		return nil, fmt.Errorf("no CLI configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(st.root, "seed.json"), seed, 0o600); err != nil {
		return nil, fmt.Errorf("no seed for the mock server: %w", err)
	}
	return isolated(os.Environ(), config), nil
}

func (st *stage) mirror() string { return filepath.Join(st.root, "mirror") }

// build compiles the provider into the mirror and the mock server beside it, and
// returns the path of the latter.
func (st *stage) build(ctx context.Context, repository string) (server string, err error) {
	server = filepath.Join(st.root, "mockserver"+exeSuffix())
	provider := filepath.Join(st.root, "provider"+exeSuffix())
	for target, pkg := range map[string]string{provider: ".", server: "./internal/cmd/mockserver"} {
		cmd := command(ctx, "go", "build", "-buildvcs=false", "-ldflags", "-X main.version="+demoVersion, "-o", target, pkg)
		cmd.Dir = repository
		if output, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, output)
		}
	}
	for _, host := range hosts {
		if err := copyProgram(provider, mirrored(st.mirror(), host)); err != nil {
			return "", err
		}
	}
	return server, nil
}

// clear stops the service and removes the folder.
func (st *stage) clear() error {
	var stopped error
	if st.service != nil {
		stopped = st.service.stop()
	}
	if err := os.RemoveAll(st.root); err != nil {
		return errors.Join(stopped, fmt.Errorf("the temporary folder could not be removed: %w", err))
	}
	return stopped
}

// findRepository returns the folder of this module, so that the demo can be
// started anywhere in it.
func findRepository(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("the demo is started in a clone of the repository, with Go on PATH: %w", err)
	}
	path, dir, _ := strings.Cut(strings.TrimSpace(string(output)), " ")
	if path != modulePath {
		return "", fmt.Errorf("the demo is started in a clone of %s, not of %s", modulePath, path)
	}
	return dir, nil
}

// isolated returns env without anything that changes what Terraform or the
// provider does, and with a CLI configuration of the demo's own: a person's
// settings can neither break the demo nor be touched by it.
func isolated(env []string, config string) []string {
	var kept []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "ANALYTICS_") {
			kept = append(kept, entry)
		}
	}
	return append(kept,
		"TF_CLI_CONFIG_FILE="+config,
		"TF_CLI_ARGS=-no-color",
		"TF_INPUT=0",
		"TF_IN_AUTOMATION=1",
		"CHECKPOINT_DISABLE=1",
	)
}

// cliConfig lets providers come from the mirror only; Terraform asks no registry.
func cliConfig(mirror string) []byte {
	return fmt.Appendf(nil, `disable_checkpoint = true

provider_installation {
  filesystem_mirror {
    path = %s
  }
}
`, strconv.Quote(mirror))
}

// mirrored returns where in a mirror Terraform looks for the provider of a host.
func mirrored(mirror, host string) string {
	return filepath.Join(mirror, host, "terraform-analytics", "analytics", demoVersion,
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-analytics_v"+demoVersion+exeSuffix())
}

// copyProgram links a program to another place, or copies it where the file
// system has no links.
func copyProgram(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("no folder in the mirror: %w", err)
	}
	if os.Link(from, to) == nil {
		return nil
	}
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, fs.FileMode(0o700))
	}
	if err != nil {
		return fmt.Errorf("the provider could not be put into the mirror: %w", err)
	}
	return nil
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
