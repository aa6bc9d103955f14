// Package podprogram has the programs that a build of tare brings for its pods: cmd/tare-pod for linux, by
// architecture.
//
// They are no files of the source: `make build` and `make release` build them and put them into programs/ by
// `go build -overlay` (scripts/podprograms.sh), so that none of an earlier source can stay there. `go build ./cmd/tare`
// brings none, and tare then streams its own program. They are embedded and not files beside tare, because tare is one
// file wherever it is installed, its image included, and because the tare of macOS or Windows needs those of linux.
package podprogram

import (
	"embed"
	"strings"
)

//go:embed programs
var programs embed.FS

// Names of the files, as scripts/podprograms.sh has them: programs/tare-pod-amd64.gz.
const dir, before, after = "programs", "tare-pod-", ".gz"

// Packed is the program for an architecture as Go names it, by gzip, and whether this build has it.
func Packed(arch string) (text []byte, ok bool) {
	text, err := programs.ReadFile(dir + "/" + before + arch + after)
	return text, err == nil
}

// Architectures are those whose programs this build has, as Go names them, sorted.
func Architectures() []string {
	entries, err := programs.ReadDir(dir)
	if err != nil {
		return nil // it is part of this program
	}
	var all []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), after); ok {
			all = append(all, strings.TrimPrefix(name, before))
		}
	}
	return all
}
