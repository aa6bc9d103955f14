package loop

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// seconds is a list of outages from and to so many seconds, with 0 for one that does not end.
func seconds(fromTo ...float64) (list []Outage) {
	for i := 0; i < len(fromTo); i += 2 {
		from, to := time.Duration(fromTo[i]*1e9), time.Duration(fromTo[i+1]*1e9)
		list = append(list, Outage{FirstFailure: from, FirstSuccess: to, LastSuccess: from})
	}
	return list
}

// TestTogether: the server is without service while a loop is and no other completes anything.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		name      string
		own, gaps [][]Outage
		want      []Outage
	}{
		{"one loop", [][]Outage{seconds(1, 2, 4, 0)}, [][]Outage{seconds(1, 2, 4, 0)}, seconds(1, 2, 4, 0)},
		{"another is served", [][]Outage{seconds(1, 4), nil}, [][]Outage{seconds(1, 4), nil}, nil},
		{"another has nothing to ask", [][]Outage{seconds(1, 4), nil}, [][]Outage{seconds(1, 4), seconds(0, 7)}, seconds(1, 4)},
		{"another asks later", [][]Outage{seconds(1, 4), seconds(2, 5)}, [][]Outage{seconds(1, 4), seconds(0.5, 5)}, seconds(1, 4)},
		{"another is served in the middle", [][]Outage{seconds(1, 4), nil}, [][]Outage{seconds(1, 4), seconds(0, 2, 2, 7)}, seconds(1, 2, 2, 4)},
		{"one after another", [][]Outage{seconds(1, 2), seconds(3, 4)}, [][]Outage{seconds(1, 2), seconds(3, 4)}, nil},
		{"short ones have no gap", [][]Outage{seconds(1, 1.02), seconds(1.01, 1.03)}, [][]Outage{nil, nil}, seconds(1.01, 1.02)},
		{"until the end", [][]Outage{seconds(5, 0), seconds(6, 0)}, [][]Outage{seconds(5, 0), seconds(3, 0)}, seconds(5, 0)},
		{"the other until the end", [][]Outage{seconds(1, 2), nil}, [][]Outage{seconds(1, 2), seconds(0, 0)}, seconds(1, 2)},
	} {
		if d := cmp.Diff(c.want, together(c.own, c.gaps, 10*time.Second)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
