package barrier

import (
	"testing"
	"time"
)

// world has clocks whose differences are known: that of the controller is the truth.
type world struct{ now time.Time }

// by is a moment of a clock that is ahead.
func (w world) by(ahead time.Duration, at time.Time) int64 {
	return (at.Sub(w.now) + ahead).Nanoseconds()
}

// trip is a reading of a server's clock at a moment: the way there and the way back differ.
type trip struct {
	at          time.Duration // after the beginning
	there, back time.Duration
}

// own is the controller's reading.
func (w world) own(server time.Duration, t trip) Clock {
	asked := w.now.Add(t.at)
	return Clock{asked.Add((t.there + t.back) / 2), w.by(server, asked.Add(t.there)) / 1000, t.there + t.back}
}

// arrival is a generator's reading.
func (w world) arrival(name string, ahead, server time.Duration, t trip) Arrival {
	c := w.own(server, t)
	return Arrival{name, w.by(ahead, c.began), c.begin, c.took}
}

// job is what one job adds to the clocks of its round.
type job struct {
	server   time.Duration // by how much its server's clock is ahead
	own      trip
	name     string // of its generator's clock
	ahead    time.Duration
	arrived  trip
	fromHere bool // the load comes from the controller's host
}

// TestClocks: generators that share a clock get one start, however far off what the controller knows of it is; what is known
// of several is wrong by at most the uncertainty.
func TestClocks(t *testing.T) {
	const n1, n2 = 7 * time.Hour, -3 * time.Minute
	slow, slower := trip{time.Second, 90 * time.Millisecond, 10 * time.Millisecond}, trip{2 * time.Second, 5 * time.Millisecond, 195 * time.Millisecond}
	near := trip{3 * time.Second, 200 * time.Microsecond, 100 * time.Microsecond}
	for name, c := range map[string]struct {
		jobs []job
		one  bool
		most map[string]time.Duration // the uncertainty
	}{
		"one node, far from the controller": {[]job{
			{server: time.Second, own: slow, name: "n1", ahead: n1, arrived: near}, {server: time.Hour, own: slower, name: "n1", ahead: n1, arrived: near},
		}, true, map[string]time.Duration{"n1": 50150 * time.Microsecond}},
		"one node, and the controller's host": {[]job{
			{server: time.Second, own: slow, name: "n1", ahead: n1, arrived: near}, {fromHere: true},
		}, false, map[string]time.Duration{"n1": 50150 * time.Microsecond}},
		"on the controller's host": {[]job{
			{server: time.Second, own: slow, name: "here", arrived: near}, {fromHere: true}, {server: time.Second, own: slower, name: "here", arrived: near},
		}, true, map[string]time.Duration{"here": 0}},
		"two nodes": {[]job{
			{server: time.Second, own: slow, name: "n1", ahead: n1, arrived: near}, {server: 0, own: near, name: "n2", ahead: n2, arrived: slow},
			{server: time.Hour, own: near, name: "n1", ahead: n1, arrived: near},
		}, false, map[string]time.Duration{"n1": 300 * time.Microsecond, "n2": 50150 * time.Microsecond}},
		"a clock without a name": {[]job{
			{server: time.Second, own: near, name: "n1", ahead: n1, arrived: near}, {server: time.Second, own: near, ahead: n1, arrived: near},
		}, false, map[string]time.Duration{"n1": 300 * time.Microsecond}},
	} {
		w := world{time.Now()}
		clocks := &Clocks{own: "here", seen: map[string]sight{"here": {here: w.now}}, keep: map[string]bool{}}
		for _, j := range c.jobs {
			if j.fromHere {
				clocks.Here()
				continue
			}
			clocks.See(w.own(j.server, j.own), []Arrival{w.arrival(j.name, j.ahead, j.server, j.arrived)})
		}
		if clocks.One() != c.one {
			t.Errorf("%s: one clock: %v", name, clocks.One())
		}
		begin := w.now.Add(time.Minute)
		moments := clocks.moments(begin)
		for _, j := range c.jobs {
			if j.name == "" {
				continue
			}
			off := time.Duration(moments[j.name] - w.by(j.ahead, begin)).Abs()
			most, exact, known := clocks.Uncertainty(Arrival{Clock: j.name})
			if most != c.most[j.name] || off > most+time.Microsecond || !known || exact != (j.name == "here") {
				t.Errorf("%s: clock %s is off by %v, at most %v (%v, %v), want %v", name, j.name, off, most, exact, known, c.most[j.name])
			}
		}
	}
}

// TestByServer: what has no clock of its own in the announcement gets the start by the server's, as the nearest comparison has
// it.
func TestByServer(t *testing.T) {
	w := world{time.Now()}
	const n1, server = 7 * time.Hour, time.Second
	own := w.own(server, trip{time.Second, 90 * time.Millisecond, 10 * time.Millisecond})
	near := w.arrival("n1", n1, server, trip{time.Second, 200 * time.Microsecond, 100 * time.Microsecond})
	begin := w.now.Add(time.Minute)
	want := w.by(server, begin) / 1000
	if got := byServer(begin, own, []Arrival{near}, map[string]int64{"n1": w.by(n1, begin)}); got < want-50-1 || got > want+50+1 {
		t.Errorf("by a generator: off by %d us", got-want)
	}
	if got := byServer(begin, own, []Arrival{near}, nil); got-want != 40000 {
		t.Errorf("by the controller: off by %d us", got-want)
	}
}

// TestShortest: readings end with the first short one after eight, or when they have taken long enough, and the shortest
// counts.
func TestShortest(t *testing.T) {
	for name, c := range map[string]struct {
		trip        func(i int) time.Duration
		want        time.Duration
		least, most int
	}{
		"near": {func(int) time.Duration { return 300 * time.Microsecond }, 300 * time.Microsecond, 8, 8},
		"busy": {func(i int) time.Duration {
			return map[bool]time.Duration{true: 800 * time.Microsecond, false: 20 * time.Millisecond}[i == 30]
		}, 800 * time.Microsecond, 31, 31},
		"far":          {func(i int) time.Duration { return 30*time.Millisecond - time.Duration(i)*time.Microsecond }, 30*time.Millisecond - 63*time.Microsecond, 64, 64},
		"far and slow": {func(i int) time.Duration { return 400 * time.Millisecond }, 400 * time.Millisecond, 8, 8},
	} {
		now, n := time.Unix(1e9, 0), 0
		got, err := shortest(func() time.Time { return now }, func() (int64, error) {
			now = now.Add(c.trip(n))
			n++
			return int64(n), nil
		})
		if err != nil || got.took != c.want || n < c.least || n > c.most {
			t.Errorf("%s: %d readings, %v, %v", name, n, got.took, err)
		}
	}
}
