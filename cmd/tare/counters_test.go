package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// countersSpec has an arm whose CPU quota throttles it.
const countersSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: counters}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 32M, innodb_redo_log_capacity: 32M}}
data: {tables: 2, rows: 5000}
load: {workload: %s, engine: tare}
protocol: {%s, rounds: 1, measure: 3s, ready: 300s, seed: 1, aa: false, voids: 0}
baseline: bare
arms:
  bare: {target: process}
  quota: {target: container, cpuRequest: 100m, quota: %s}
`

// TestCounters reads the counters of the kernel and of the servers itself while a real run measures, and
// compares them with what the report says at both ends: the table of metrics, and the numbers in the sentences
// about the CPU quota. What a counter did in a window lies between what the readings within the window
// give and what those around it give. By slices the readings are those before the load and after it.
func TestCounters(t *testing.T) {
	needRoot(t)
	rootfs := testRootfs(t)
	dir := diskDir(t)
	for _, c := range []struct {
		load, protocol, quota string
		server                bool    // is asked for its counters: a frozen one does not answer
		least                 float64 // of what the readings around the load give
		want                  int     // metrics that are compared, at least
	}{
		{"oltp_read_write, threads: 4", "kind: windows, warmup: 1s", "150m", true, 0, 30},
		{"oltp_point_select, threads: 2", "kind: slices, warmup: 0s", "300m", false, 0.6, 5},
	} {
		mysqldtest.Attempts(t, 3, func() error {
			out := filepath.Join(dir, "run")
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
			spec := filepath.Join(dir, "counters.yaml")
			if err := os.WriteFile(spec, fmt.Appendf(nil, countersSpec, rootfs, c.load, c.protocol, c.quota), 0o644); err != nil {
				t.Fatal(err)
			}
			w := &countersWatch{mark: filepath.Base(dir), server: c.server, of: map[int]*countersOf{}, end: make(chan struct{})}
			w.found.Go(w.find)
			tareBelow(t, dir, "run", spec, "--out", out)
			servers := w.stop()
			return compareCounters(t, out, servers, c.least, c.want)
		})
	}
}

// countersWatch reads the counters of the servers below a directory.
type countersWatch struct {
	mark    string // in the mounts of a server
	server  bool
	of      map[int]*countersOf // by process
	end     chan struct{}
	readers sync.WaitGroup
	found   sync.WaitGroup
}

// countersOf are the readings of one server.
type countersOf struct {
	pid      int
	quota    bool
	asked    bool
	mu       sync.Mutex
	readings []countersRead
}

// countersRead are counters that were read between two moments.
type countersRead struct {
	from, until time.Time
	values      map[string]float64
}

// find looks for servers until the end.
func (w *countersWatch) find() {
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		select {
		case <-w.end:
			return
		case <-tick.C:
		}
		comms, _ := filepath.Glob("/proc/[0-9]*/comm")
		for _, path := range comms {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if name, _ := os.ReadFile(path); string(bytes.TrimSpace(name)) != "mysqld" || w.of[pid] != nil {
				continue
			}
			mounts, _ := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", pid))
			if !bytes.Contains(mounts, []byte(w.mark)) {
				continue
			}
			s := &countersOf{pid: pid, asked: w.server}
			w.of[pid] = s
			w.readers.Go(func() { s.repeat(w.end, 5*time.Millisecond, s.kernel) })
			if w.server {
				w.readers.Go(func() { s.repeat(w.end, 20*time.Millisecond, s.status()) })
			}
		}
	}
}

func (w *countersWatch) stop() (all []*countersOf) {
	close(w.end)
	w.found.Wait()
	w.readers.Wait()
	for _, s := range w.of {
		all = append(all, s)
	}
	return all
}

func (s *countersOf) repeat(end <-chan struct{}, every time.Duration, read func() map[string]float64) {
	for tick := time.NewTicker(every); ; {
		select {
		case <-end:
			return
		case <-tick.C:
		}
		from := time.Now()
		if values := read(); len(values) > 0 {
			s.mu.Lock()
			s.readings = append(s.readings, countersRead{from, time.Now(), values})
			s.mu.Unlock()
		}
	}
}

// kernel is the CPU time of the process, and the quota and CPU time of its own cgroup.
func (s *countersOf) kernel() map[string]float64 {
	values := map[string]float64{}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		return nil
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	const tick = 1e7 // ns: USER_HZ is 100
	for name, i := range map[string]int{"server.cpu.user_ns": 11, "server.cpu.system_ns": 12} {
		v, _ := strconv.ParseFloat(fields[i], 64)
		values[name] = v * tick
	}
	groups, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", s.pid))
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 || parts[2] == "/" {
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			s.cgroup(filepath.Join("/sys/fs/cgroup", controller, parts[2]), "", values)
			s.cgroup(filepath.Join("/sys/fs/cgroup", controller, filepath.Dir(parts[2])), ofPod, values)
		}
	}
	return values
}

// ofPod marks the counters of the pod's cgroup, which is above that of the container: it can have a quota, too.
const ofPod = " of the pod"

// cgroup is of version 1, with a directory for each controller, or of version 2.
func (s *countersOf) cgroup(dir, level string, values map[string]float64) {
	if usage, err := os.ReadFile(filepath.Join(dir, "cpuacct.usage")); err == nil {
		values["cgroup.cpu.usage_ns"+level], _ = strconv.ParseFloat(strings.TrimSpace(string(usage)), 64)
	}
	stat, err := os.ReadFile(filepath.Join(dir, "cpu.stat"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(stat)) {
		key, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		v, _ := strconv.ParseFloat(text, 64)
		switch key {
		case "nr_periods", "nr_throttled":
			values["cgroup.cpu."+key+level] = v
			s.quota = s.quota || key == "nr_periods" && v > 0
		case "throttled_time":
			values["cgroup.cpu.throttled_ns"+level] = v
		case "throttled_usec":
			values["cgroup.cpu.throttled_ns"+level] = 1000 * v
		case "usage_usec":
			values["cgroup.cpu.usage_ns"+level] = 1000 * v
		}
	}
}

// status reads SHOW GLOBAL STATUS.
func (s *countersOf) status() func() map[string]float64 {
	var db *sql.DB
	return func() map[string]float64 {
		if db == nil {
			sockets, _ := filepath.Glob(fmt.Sprintf("/proc/%d/root/mnt/tare/run/*.sock", s.pid))
			if len(sockets) == 0 {
				return nil
			}
			opened, err := mysqld.Open(mysqld.Address{Socket: sockets[0]})
			if err != nil {
				return nil
			}
			db = opened
		}
		rows, err := db.Query("SHOW GLOBAL STATUS")
		if err != nil {
			return nil
		}
		defer rows.Close()
		values := map[string]float64{}
		for rows.Next() {
			var name, text string
			if rows.Scan(&name, &text) != nil {
				return nil
			}
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				values["mysql."+strings.ToLower(name)] = v
			}
		}
		return values
	}
}

// How late a reading of a window's end can be: usually, and of a server that is asked. Of one that has a quota, the 15
// ms in each 100 ms are used up by its clients as well, so that an answer takes several periods; and beside other
// tests, any answer does.
const (
	countersLate = 50 * time.Millisecond
	answersLate  = 500 * time.Millisecond
)

// bounds are those of a metric of the report from one moment to another. Of periods it has the cgroup with more. Of
// throttling, which both cgroups count, it has in each stretch the count that grew by more: no less than either, and no
// more than both.
func (s *countersOf) bounds(metric string, begin, end time.Time) (least, most float64, ok bool) {
	least, most, ok = s.between(metric, begin, end)
	if !strings.Contains(metric, "throttled") && !strings.Contains(metric, "periods") {
		return least, most, ok
	}
	low, high, pod := s.between(metric+ofPod, begin, end)
	if strings.Contains(metric, "periods") { // the larger
		return max(least, low), max(most, high), ok && pod
	}
	return max(least, low), most + high, ok && pod
}

// levels are the cgroups whose counts the upper bound of a metric adds.
func levels(metric string) float64 {
	if strings.Contains(metric, "throttled") {
		return 2
	}
	return 1
}

// between are the bounds of what a counter did: by the readings that are within, and by those around. False
// where there are none. The window's own readings are of the first moments after its two ends, as a
// server that is busy takes some time to answer.
func (s *countersOf) between(name string, begin, end time.Time) (least, most float64, ok bool) {
	late := countersLate
	if s.asked {
		late = answersLate
	}
	var outerFirst, innerFirst, innerLast, outerLast, last *float64
	for i := range s.readings {
		r := &s.readings[i]
		v, has := r.values[name]
		switch {
		case !has:
			continue
		case !r.until.After(begin):
			outerFirst = &v
		case !r.from.Before(begin.Add(late)) && !r.until.After(end):
			if innerFirst == nil {
				innerFirst = &v
			}
			innerLast = &v
		case !r.from.Before(end.Add(late)) && outerLast == nil:
			outerLast = &v
		}
		if !r.from.Before(end.Add(countersLate)) {
			last = &v
		}
	}
	if outerLast == nil { // the server has ended by then, and was read before
		outerLast = last
	}
	if outerFirst == nil || outerLast == nil {
		return 0, 0, false
	}
	if innerFirst != nil {
		least = *innerLast - *innerFirst
	}
	return least, *outerLast - *outerFirst, true
}

// compareCounters fails t where the report of a run does not have what the servers' own counters have. An
// error says that the readings were too far apart to say anything.
func compareCounters(t *testing.T, out string, servers []*countersOf, share float64, want int) error {
	t.Helper()
	run, err := record.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, trial := range run.Trials {
		s := countersServer(servers, trial)
		if s == nil {
			return fmt.Errorf("no server of %s was found", trial.Header.Arm)
		}
		begin, end, seconds := countersWindow(trial)
		if share > 0 {
			begin, end = s.load(trial)
		}
		for _, series := range doc.Probes.Series {
			if series.Arm != trial.Header.Arm || !series.Counter || !series.Window.Known() {
				continue
			}
			least, most, read := s.bounds(series.Metric, begin, end)
			if !read {
				if series.Metric == "cgroup.cpu.usage_ns" {
					t.Errorf("%s: %s is %v of a server without a cgroup of its own", series.Arm, series.Metric, series.Window)
				}
				continue
			}
			if share > 0 {
				least = share * most / levels(series.Metric)
			}
			const rounding = 0.001 // of four digits
			total, slack := float64(series.Window)*seconds, countersStep(series.Metric)
			t.Logf("%s: %s: %.0f, by other readings %.0f to %.0f", series.Arm, series.Metric, total, least, most)
			if total < least*(1-rounding)-slack || total > most*(1+rounding)+slack {
				t.Errorf("%s: %s grew by %.0f, and by %.0f to %.0f by other readings", series.Arm, series.Metric, total, least, most)
			}
			if most-least <= 0.5*most+slack || share > 0 { // else it says little
				compared++
			}
		}
		if s.quota {
			if err := countersSaid(t, doc, s, begin, end, share); err != nil {
				return err
			}
		}
	}
	if compared < want {
		return fmt.Errorf("%d counters were compared, fewer than %d", compared, want)
	}
	return nil
}

// countersStep is what one more event adds to a counter: a tick of the clock of CPU time, and one.
func countersStep(metric string) float64 {
	if strings.HasPrefix(metric, "server.cpu.") {
		return 1e7
	}
	return 1
}

// countersServer is the server of a trial: the one with a quota is in the arm of that name. It had readings in its
// window.
func countersServer(servers []*countersOf, trial *record.Trial) *countersOf {
	for _, s := range servers {
		if s.quota == (trial.Header.Arm == "quota") && len(s.readings) > 0 && s.readings[len(s.readings)-1].until.After(trial.Header.Started) {
			return s
		}
	}
	return nil
}

// countersWindow is the time of a trial's counters.
func countersWindow(trial *record.Trial) (begin, end time.Time, seconds float64) {
	var first, last time.Duration
	for i, s := range trial.Samples {
		if !s.Warmup && (i == 0 || trial.Samples[i-1].Warmup) {
			first = s.At
		}
		last = s.At
	}
	return trial.Header.Started.Add(first), trial.Header.Started.Add(last), (last - first).Seconds()
}

// load is the time from before the first turn to the last reading: the own time of a trial by slices stands still
// between its turns, and so do its counters.
func (s *countersOf) load(trial *record.Trial) (begin, end time.Time) {
	for _, e := range trial.Events {
		if e.Name == "warm up and measure" {
			begin = trial.Header.Started.Add(e.At)
		}
	}
	for _, r := range s.readings {
		if _, has := r.values["cgroup.cpu.nr_periods"]; has || !s.quota { // not of a server that has ended
			end = r.from.Add(-2 * countersLate)
		}
	}
	return begin, end
}

var periodsSaid = regexp.MustCompile(`throttled in (\d+) % of ([\d,]+) CFS periods`)

// countersSaid compares the sentences about the quota, of the cgroup and of the rule. An error says that there are
// none.
func countersSaid(t *testing.T, doc *report.Document, s *countersOf, begin, end time.Time, share float64) error {
	t.Helper()
	leastPeriods, mostPeriods, _ := s.bounds("cgroup.cpu.nr_periods", begin, end)
	leastThrottled, mostThrottled, _ := s.bounds("cgroup.cpu.nr_throttled", begin, end)
	if share > 0 {
		leastPeriods, leastThrottled = share*mostPeriods, share*mostThrottled/levels("cgroup.cpu.nr_throttled")
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	said := periodsSaid.FindAllStringSubmatch(string(text), -1)
	if len(said) == 0 {
		return errors.New("no sentence says that the server was throttled")
	}
	for _, m := range said {
		percent, _ := strconv.ParseFloat(m[1], 64)
		periods, _ := strconv.ParseFloat(strings.ReplaceAll(m[2], ",", ""), 64)
		t.Logf("%s; by other readings %.0f to %.0f of %.0f to %.0f", m[0], leastThrottled, mostThrottled, leastPeriods, mostPeriods)
		if periods < leastPeriods-1 || periods > mostPeriods+1 {
			t.Errorf("%q, and by other readings there were %.0f to %.0f", m[0], leastPeriods, mostPeriods)
		}
		if percent < 100*(leastThrottled-1)/(mostPeriods+1)-0.5 || percent > 100*(mostThrottled+1)/max(1, leastPeriods-1)+0.5 {
			t.Errorf("%q, and by other readings %.0f to %.0f were", m[0], leastThrottled, mostThrottled)
		}
	}
	return nil
}
