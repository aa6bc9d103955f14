package network

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	nodepkg "github.com/tarebench/tare/internal/node" // "node" is a namespace here
)

// Rate is the speed of a link in bits a second. It is node's, because an event of the
// kind "network" is written with it on systems that cannot build this package.
type Rate = nodepkg.Rate

// Delay is the time that a link adds in each direction.
type Delay time.Duration

// UnmarshalText reads 200us, 1.5ms.
func (d *Delay) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v <= 0 || v > maxDelay {
		return fmt.Errorf("%q is not a delay; use a time up to %v, such as 250us", text, maxDelay)
	}
	*d = Delay(v)
	return nil
}

// maxDelay is more than there is between any two places of the earth.
const maxDelay = time.Second

// String is as it is written.
func (d Delay) String() string { return time.Duration(d).String() }

// Loss is the share of packets that a link loses in each direction, 0 to 1.
type Loss float64

// UnmarshalText reads 0.1%.
func (l *Loss) UnmarshalText(text []byte) error {
	number, percent := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !percent || !(v > 0 && v <= 50) {
		return fmt.Errorf("%q is not a share of packets; use a percentage up to 50%%, such as 0.1%%", text)
	}
	*l = Loss(v / 100)
	return nil
}

// String is as it is written.
func (l Loss) String() string { return strconv.FormatFloat(float64(l)*100, 'g', 6, 64) + "%" }
