package replication

import "testing"

func TestGTIDCount(t *testing.T) {
	for set, want := range map[string]int64{
		"": 0,
		"3e11fa47-71ca-11e1-9e33-c80aa9429562:23":                                                      1,
		"3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5":                                                     5,
		"3e11fa47-71ca-11e1-9e33-c80aa9429562:1-3:11:47-49,\n2174b383-5441-11e8-b90a-c80aa9429562:7-8": 9,
		"3e11fa47-71ca-11e1-9e33-c80aa9429562:1-3:tag_1:4-5":                                           5,
		"3e11fa47-71ca-11e1-9e33-c80aa9429562:1-x":                                                     0,
	} {
		if got := gtidCount(set); got != want {
			t.Errorf("%q has %d transactions, want %d", set, got, want)
		}
	}
}

func TestPositionsBehind(t *testing.T) {
	for _, c := range []struct {
		has, applied string
		want         int64
	}{
		{"", "", 0}, {"0-1-10", "0-1-7", 3}, {"0-1-10", "", 10}, {"0-1-10,5-1-4", "5-1-4,0-1-10", 0},
		{"0-1-7", "0-1-10", 0}, // read in this order, a replica can be ahead
	} {
		if got := positionsBehind(c.has, c.applied); got != c.want {
			t.Errorf("%q is %d behind %q, want %d", c.applied, got, c.has, c.want)
		}
	}
}
