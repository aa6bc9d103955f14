// Command mutants finds conditions that no test checks. It builds a test program in which
// every condition can be made wrong, one at a time, by an environment variable: a comparison
// is inverted or moves by its boundary, an operand of && or || is left out. A mutant under
// which all tests pass is printed: either a test is missing, or the condition decides nothing.
//
// One build with all mutants (mutant schemata: Untch, Offutt & Harrold, ISSTA 1993) is used
// because compiling and linking takes longer than most tests of a package.
//
//	go run ./research/mutants .cache/mutants ./internal/diagnose [-test.skip=Calibration]
//
// The first argument is a directory for the test program, the second a package.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// patience is how many times as long as without a mutant the tests may take, and a second. A
// mutant that makes them hang is found.
const patience = 20

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "mutants: expected a directory for files and the directory of a package")
		os.Exit(2)
	}
	survived, err := survivors(os.Stdout, os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(3)
	}
	if survived > 0 {
		os.Exit(1)
	}
}

// survivors prints the mutants of the package in dir that all its tests pass with. The test
// program is made in temp.
func survivors(w io.Writer, temp, dir string, flags []string) (int, error) {
	temp, err := filepath.Abs(temp)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return 0, err
	}
	all, binary, err := build(dir, temp)
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	if killed, out := run(dir, binary, 0, flags, time.Hour); killed {
		return 0, fmt.Errorf("the tests fail without a mutant:\n%s", out)
	}
	limit := patience*time.Since(begun) + time.Second
	survived := 0
	for i, m := range all {
		if killed, _ := run(dir, binary, i+1, flags, limit); !killed {
			survived++
			fmt.Fprintln(w, m)
		}
	}
	fmt.Fprintf(w, "%s: %d of %d mutants survived\n", dir, survived, len(all))
	return survived, nil
}

// build makes the test program of dir with all mutants in it, and says what each of them does.
func build(dir, temp string) (all []string, binary string, err error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, "", err
	}
	var name string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, pkg, mutants, err := mutated(file, len(all))
		if err != nil {
			return nil, "", err
		}
		name, all = pkg, append(all, mutants...)
		if err := replace(overlay.Replace, temp, file, text); err != nil {
			return nil, "", err
		}
	}
	if name == "" {
		return nil, "", fmt.Errorf("%s has no Go files", dir)
	}
	if err := replace(overlay.Replace, temp, filepath.Join(dir, "mutant_on.go"), []byte(fmt.Sprintf(hook, name))); err != nil {
		return nil, "", err
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return nil, "", err
	}
	if err := os.WriteFile(filepath.Join(temp, "overlay.json"), list, 0o600); err != nil {
		return nil, "", err
	}
	binary = filepath.Join(temp, "package.test")
	c := exec.Command("go", "test", "-c", "-vet=off", "-overlay", filepath.Join(temp, "overlay.json"), "-o", binary, dir)
	if out, err := c.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("build the tests of %s: %w\n%s", dir, err, out)
	}
	return all, binary, nil
}

// hook is the file that every mutated package gets: mutant says whether mutant n is chosen.
const hook = `package %s

import "os"

var chosenMutant = os.Getenv("TARE_MUTANT")

func mutant(n string) bool { return chosenMutant == n }
`

// replace puts text where the compiler reads file.
func replace(overlay map[string]string, temp, file string, text []byte) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	overlay[abs] = filepath.Join(temp, filepath.Base(file))
	return os.WriteFile(overlay[abs], text, 0o600)
}

// run runs the tests with mutant n, and says whether one of them failed.
func run(dir, binary string, n int, flags []string, limit time.Duration) (killed bool, out []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, binary, append([]string{"-test.failfast"}, flags...)...)
	c.Dir, c.Env = dir, append(os.Environ(), "TARE_MUTANT="+strconv.Itoa(n))
	var all bytes.Buffer
	c.Stdout, c.Stderr = &all, &all
	return c.Run() != nil, all.Bytes()
}
