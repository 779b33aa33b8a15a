// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/terraformcli"
)

const (
	// dayRounds is how often every way is measured after a first time that does not count. All ways of
	// a shape come in turn, in the other order in each second round, so that a slow moment of the
	// machine, and what comes before, meet them alike.
	dayRounds = 5

	fullDay  = "2026-03-01"
	emptyDay = "2026-03-02"

	// emptySeed is a day without records: what Terraform itself takes.
	emptySeed = `{"secret_keys":["bench-key"],"exports":[{"org_id":"` + org + `","project_id":"` + project + `","utc_date":"` + emptyDay + `"}]}`
)

// exportTF is a configuration that exports var.day into the file "day".
//
//go:embed export.tf
var exportTF []byte

// way is one way to get a day into a file.
type way struct {
	name string
	// shell is what takes the answer: curl, or the bare loop. Where it is empty, a provider exports
	// day with a compression.
	shell            string
	day, compression string
	before           bool // the provider is the one of -before
}

// The commands of the ways that need no provider. $ADDRESS is that of the day.
const (
	byCurl = "curl -sSf \"$ADDRESS\" -o day"
	byLoop = "\"$BARELOOP\" \"$ADDRESS\" \"$SHAPE\" day"
)

// ways are what is compared in each shape of the answer. The bare loop comes first. The day without
// records is Terraform's own share, with the provider in question.
var ways = []way{
	{name: "the bare loop", shell: byLoop},
	{name: "analytics_export_file", day: fullDay, compression: "none"},
	{name: "a day without records", day: emptyDay, compression: "none"},
	{name: "curl -o", shell: byCurl},
	{name: "analytics_export_file, gzip", day: fullDay, compression: "gzip"},
	{name: "analytics_export_file, zstd", day: fullDay, compression: "zstd"},
	{name: "analytics_export_file, before", day: fullDay, compression: "none", before: true},
	{name: "a day without records, before", day: emptyDay, compression: "none", before: true},
}

// exported is a day in a file, as it was measured.
type exported struct {
	cost

	size int64 // of the file, in bytes
}

// shapeDay is a day in a shape of the answer, as it was measured: in each round by each way.
type shapeDay struct {
	shape  string
	ways   []way
	rounds [][]exported
}

// exports measures how fast a large day gets into a file, and in how much memory.
func exports(ctx context.Context, b *bench) (grid, error) {
	b.bareLoop = filepath.Join(b.root, "bareloop"+terraformcli.ExeSuffix())
	if err := terraformcli.Build(ctx, b.bareLoop, terraformcli.ModulePath+"/internal/cmd/bareloop"); err != nil {
		return grid{}, err
	}

	var days []shapeDay
	for _, shape := range []string{"object", "array", "ndjson"} {
		day := shapeDay{shape: shape, ways: slices.DeleteFunc(slices.Clone(ways), func(w way) bool {
			return w.before && b.before == "" || shape != "object" && w.compression != "" && w.compression != "none"
		})}
		if err := b.exportDay(ctx, b.records, dayRounds, &day); err != nil {
			return grid{}, err
		}
		days = append(days, day)
	}
	tenfold := shapeDay{shape: "object", ways: ways[1:3]}
	if err := b.exportDay(ctx, 10*b.records, 1, &tenfold); err != nil {
		return grid{}, err
	}

	return dayGrid(b.records, days, tenfold.rounds[0]), nil
}

// withBefore returns a Terraform that finds the provider of -before in place of ours.
func (b *bench) withBefore() (*bench, error) {
	program, err := filepath.Abs(b.before)
	if err != nil {
		return nil, err
	}
	other := *b
	other.root = filepath.Join(b.root, "before")
	settings := filepath.Join(other.root, "terraform.rc")
	other.terraform = b.terraform.In(other.root, "TF_CLI_CONFIG_FILE="+settings)

	return &other, errors.Join(
		os.MkdirAll(other.root, 0o700),
		os.WriteFile(settings, terraformcli.MirrorConfig(other.mirror()), 0o600),
		terraformcli.Mirror(other.mirror(), terraformcli.Source, program),
	)
}

// exportDay exports a day of so many records in the ways of a shape, in so many rounds after a first
// one that does not count.
func (b *bench) exportDay(ctx context.Context, records, rounds int, day *shapeDay) (err error) {
	seed := filepath.Join(b.root, "export-seed.json")
	if err := os.WriteFile(seed, []byte(emptySeed), 0o600); err != nil {
		return err
	}
	s, err := b.serve(ctx, "-seed", seed, "-export-records", strconv.Itoa(records), "-export-shape", day.shape)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()

	served := dayService{service: s, shape: day.shape, terraform: map[bool]terraformcli.CLI{}}
	benches := map[bool]*bench{false: b}
	if b.before != "" {
		if benches[true], err = b.withBefore(); err != nil {
			return err
		}
	}
	for isBefore, with := range benches {
		served.terraform[isBefore], err = with.initialize(ctx, map[string][]byte{"main.tf": exportTF}, s.variables())
		if err != nil {
			return err
		}
	}

	for round := range 1 + rounds {
		b.note("exporting %s events as %s, round %d of %d ...", humanize.Comma(int64(records)), day.shape, round, rounds)
		got, err := b.round(ctx, served, day.ways, round%2 == 1)
		if err != nil {
			return err
		}
		if round > 0 {
			day.rounds = append(day.rounds, got)
		}
	}

	return nil
}

// dayService is a service that answers with days of a shape, and each Terraform that knows it: with
// the provider of -before or without.
type dayService struct {
	*service

	shape     string
	terraform map[bool]terraformcli.CLI
}

// round exports a day in each way, in order or backwards.
func (b *bench) round(ctx context.Context, s dayService, ways []way, isBackwards bool) ([]exported, error) {
	got := make([]exported, len(ways))
	for i := range ways {
		if isBackwards {
			i = len(ways) - 1 - i
		}
		var err error
		if got[i], err = b.export(ctx, s, ways[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", ways[i].name, err)
		}
	}

	return got, nil
}

// net returns the cost of a way in a round, without what Terraform takes for a day without records
// with the same provider in that round.
func (d shapeDay) net(round, i int) cost {
	got, w := d.rounds[round][i].cost, d.ways[i]
	if w.shell != "" {
		return got
	}

	own := slices.IndexFunc(d.ways, func(o way) bool { return o.day == emptyDay && o.before == w.before })
	terraform := d.rounds[round][own]

	return cost{wall: got.wall - terraform.wall, cpu: got.cpu - terraform.cpu, memory: got.memory}
}

// median returns the median over all rounds of what of returns for one.
func (d shapeDay) median(of func(round int) float64) float64 {
	var all []float64
	for round := range d.rounds {
		all = append(all, of(round))
	}
	slices.Sort(all)

	return all[len(all)/2]
}

// export exports a day in one way, and removes the file. What the way before has written is on the
// disk by then, so that this one does not wait for it: curl leaves that to the system.
func (b *bench) export(ctx context.Context, s dayService, w way) (got exported, err error) {
	tf := s.terraform[w.before]
	if err := exec.CommandContext(ctx, "sync").Run(); err != nil {
		return got, err
	}
	if w.shell == "" {
		got.cost, err = b.measured(ctx, tf, "Resources: 1 added", "apply", "-auto-approve", "-var=day="+w.day, "-var=compression="+w.compression)
	} else {
		cmd := exec.CommandContext(ctx, "sh", "-c", w.shell)
		cmd.Dir, cmd.Stderr = tf.Dir, io.Discard
		cmd.Env = append(os.Environ(), "BARELOOP="+b.bareLoop, "SHAPE="+s.shape,
			"ADDRESS="+s.environment["ANALYTICS_BASE_URL"]+"/v1/org/"+org+"/project/"+project+"/export?utcDate="+fullDay+"&apiSecretToken=bench-key")
		began := time.Now()
		err = cmd.Run()
		got.wall, got.memory = time.Since(began), math.NaN()
		got.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err != nil {
		return got, err
	}

	file := filepath.Join(tf.Dir, "day")
	info, err := os.Stat(file)
	if err != nil {
		return got, err
	}
	got.size = info.Size()

	return got, errors.Join(os.Remove(file), os.RemoveAll(filepath.Join(tf.Dir, "terraform.tfstate")))
}

// dayGrid sets the ways side by side. What is net leaves out what Terraform takes for a day without
// records. tenfold is a day of ten times the records, and one without.
func dayGrid(records int, days []shapeDay, tenfold []exported) grid {
	payload := float64(days[0].rounds[0][0].size)
	g := grid{
		title: fmt.Sprintf("A day of %s events, %.0f MB", humanize.Comma(int64(records)), payload/1e6),
		head:  []string{"", "answer", "wall time", "net", "CPU time, net", "MB/s", "time to the bare loop", "CPU to the bare loop", "peak memory of the provider"},
		remark: "Medians of " + strconv.Itoa(dayRounds) + " rounds after one that does not count. In a round, the ways of a shape come in turn, in the other order in each second one. " +
			"Net is without what Terraform takes for a day without records in the same round, and the two columns to the bare loop are medians of the ratios of each round. " +
			"The bare loop is a program of one page for one shape (`internal/cmd/bareloop`): it checks the JSON, hashes and syncs the file, and knows no other shape, no end that is not proven, and no record from an error.",
	}

	for _, d := range days {
		for i, w := range d.ways {
			peak := math.NaN()
			for round := range d.rounds {
				if memory := d.rounds[round][i].memory; !(memory <= peak) {
					peak = memory
				}
			}
			wall := d.median(func(round int) float64 { return d.rounds[round][i].wall.Seconds() })
			row := []string{w.name, d.shape, inSeconds(wall), "", "", "", "", "", bytesIn("MB", 1e6, peak)}
			if w.day != emptyDay {
				net := d.median(func(round int) float64 { return d.net(round, i).wall.Seconds() })
				cpu := d.median(func(round int) float64 { return d.net(round, i).cpu.Seconds() })
				row[3], row[4], row[5] = inSeconds(net), inSeconds(cpu), fmt.Sprintf("%.0f", payload/1e6/net)
				row[6] = fmt.Sprintf("%.2f", d.median(func(round int) float64 { return d.net(round, i).wall.Seconds() / d.net(round, 0).wall.Seconds() }))
				row[7] = fmt.Sprintf("%.2f", d.median(func(round int) float64 { return d.net(round, i).cpu.Seconds() / d.net(round, 0).cpu.Seconds() }))
			}
			g.rows = append(g.rows, row)
		}
	}

	wall, cpu := tenfold[0].wall-tenfold[1].wall, tenfold[0].cpu-tenfold[1].cpu
	g.rows = append(g.rows, []string{
		"ten times the day", "object", seconds(tenfold[0].wall), seconds(wall), seconds(cpu),
		fmt.Sprintf("%.0f", float64(tenfold[0].size)/1e6/wall.Seconds()), "", "", bytesIn("MB", 1e6, tenfold[0].memory),
	})

	return g
}

func inSeconds(s float64) string { return fmt.Sprintf("%.1f s", s) }
