package pace

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Parse reads a schedule: steps "1000:10" (a rate for so many seconds) and ramps
// "0-5000:30" (from one rate to another), separated by commas. "1000:2m" has another unit.
func Parse(text string) (Schedule, error) {
	var s Schedule
	for _, part := range strings.Split(text, ",") {
		rates, length, ok := strings.Cut(strings.TrimSpace(part), ":")
		from, to, ramp := strings.Cut(rates, "-")
		if !ramp {
			to = from
		}
		f, err1 := strconv.ParseFloat(from, 64)
		t, err2 := strconv.ParseFloat(to, 64)
		l, err3 := parseLength(length)
		if !ok || err1 != nil || err2 != nil || err3 != nil || !(l > 0 && l < 1e9) {
			return nil, fmt.Errorf("read schedule: %q is not RATE:DURATION or FROM-TO:DURATION, with a duration such as 30s, 2m or a number of seconds", part)
		}
		s = append(s, Segment{Length: time.Duration(l * float64(time.Second)), From: f, To: t})
	}
	return s, s.Check()
}

// parseLength reads the length of a step or ramp, in seconds.
func parseLength(text string) (float64, error) {
	if l, err := strconv.ParseFloat(text, 64); err == nil {
		return l, nil
	}
	d, err := time.ParseDuration(text)
	return d.Seconds(), err
}
