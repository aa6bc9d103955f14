package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ArmsFile names in a run directory what the run makes in clusters, one name on each line. A
// tare that was killed leaves it there, and the process that resumes the run finds it by the
// name: nothing else connects the two where each has a pod of its own.
const ArmsFile = "cluster-arms.txt"

// maxArms is far more than the lines of a run that is resumed a thousand times.
const maxArms = 1 << 20

// armName is what a line can be. A run directory may come from elsewhere.
var armName = regexp.MustCompile(`^tare-[0-9a-f]{8}$`)

// Arms are the names that [AddArm] wrote, none where it wrote nothing.
func Arms(dir string) ([]string, error) {
	f, err := OpenFile(filepath.Join(dir, ArmsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read arms in clusters: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxArms))
	if err != nil {
		return nil, fmt.Errorf("read arms in clusters: %w", err)
	}
	names := strings.Fields(string(text))
	for _, name := range names {
		if !armName.MatchString(name) {
			return nil, fmt.Errorf("read arms in clusters: %s: %.40q is not the name of an arm", f.Name(), name)
		}
	}
	return names, nil
}

// AddArm writes a name down before anything of that name is made. It is on the disk when AddArm
// returns.
func AddArm(dir, name string) error {
	names, err := Arms(dir)
	if err != nil || slices.Contains(names, name) {
		return err
	}
	return WriteFile(filepath.Join(dir, ArmsFile), []byte(strings.Join(append(names, name), "\n")+"\n"))
}
