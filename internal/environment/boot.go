package environment

import (
	"os"
	"strings"
)

// BootFile is where Linux names the present boot of its kernel (random(4)).
const BootFile = "/proc/sys/kernel/random/boot_id"

// Boot is that name. Equal ones are one kernel, also in different containers.
func Boot() (string, error) {
	b, err := os.ReadFile(BootFile)
	return strings.TrimSpace(string(b)), err
}
