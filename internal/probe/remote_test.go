package probe

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// TestFind: a server is known by its container or by its environment, and another
// server, or another program in the same container, is not it.
func TestFind(t *testing.T) {
	root := fstest.MapFS{}
	process := func(pid, name, cgroup, environ string) {
		for file, text := range map[string]string{"comm": name + "\n", "cgroup": cgroup, "environ": environ} {
			root["proc/"+pid+"/"+file] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	process("1", "systemd", "0::/init.scope\n", "")
	process("40", "mysqld", "4:cpu:/kubepods/burstable/poda/9d2c\n0::/\n", "A=1\x00TARE_INSTANCE=t1\x00")
	process("41", "sh", "0::/kubepods.slice/cri-containerd-77ee.scope\n", "")
	process("42", "mariadbd", "0::/../../kubepods-podb.slice/cri-containerd-77ee.scope\n", "TARE_INSTANCE=t11\x00")
	for want, pid := range map[Wanted]int{
		{Container: "9d2c"}: 40, {Container: "77ee"}: 42, {Variable: "TARE_INSTANCE=t11"}: 42, {Variable: "TARE_INSTANCE=t1"}: 40,
		{Container: "beef"}: 0, {Variable: "TARE_INSTANCE=t"}: 0, {}: 0,
	} {
		got, err := Find(root, want)
		if got != pid || (err == nil) != (pid != 0) {
			t.Errorf("%+v: process %d, %v; want %d", want, got, err, pid)
		}
	}
}

// TestFileSystem: the data's is that of the innermost mount above them, and not known
// where the server's root is no mount.
func TestFileSystem(t *testing.T) {
	for dir, want := range map[string]string{"/var/lib/mysql": "ext4", "/var/lib/mysql/x": "ext4", "/var/lib/mysqlx": "overlay", "": ""} {
		if got, err := (Place{Root: tree(t, "v2"), PID: 4242, DataDir: dir}).FileSystem(); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", dir, got, err, want)
		}
	}
	bare := fstest.MapFS{"proc/7/mountinfo": {Data: []byte("40 30 0:5 / /proc rw - proc proc rw\n")}}
	if got, err := (Place{Root: bare, PID: 7, DataDir: "/mnt/tare/data"}).FileSystem(); err == nil {
		t.Errorf("no mount of the data: %q", got)
	}
}

// TestCgroupNamespace: a reader in a cgroup namespace of its own, as a pod on cgroup
// v2 is, reads what one outside reads. How the kernel shows paths to it was taken
// from Linux 6.18 by unshare -C.
func TestCgroupNamespace(t *testing.T) {
	const shared = "/kubepods.slice/kubepods-burstable.slice"
	root := tree(t, "v2")
	want := once(Place{Root: root, PID: 4242, DataDir: "/var/lib/mysql"})
	inside := maps.Clone(root)
	inside["proc/self/mountinfo"] = &fstest.MapFile{Data: []byte(
		"30 25 0:26 /../../../.. /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n")}
	for _, own := range []string{shared + "/kubepods-burstable-pod7.slice/cri-containerd-a.scope", "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod8.slice/cri-containerd-b.scope"} {
		inside["sys/fs/cgroup"+own+"/cpu.stat"] = &fstest.MapFile{}
		group := "0::/../../kubepods-burstable-pod0f1a.slice/cri-containerd-9d2c.scope\n"
		if own[:len(shared)] != shared {
			group = "0::/../../../kubepods-burstable.slice/kubepods-burstable-pod0f1a.slice/cri-containerd-9d2c.scope\n"
		}
		inside["proc/4242/cgroup"] = &fstest.MapFile{Data: []byte(group)}
		if diff := cmp.Diff(want, once(Place{Root: inside, PID: 4242, DataDir: "/var/lib/mysql"})); diff != "" {
			t.Errorf("from %s (-outside +inside):\n%s", own, diff)
		}
	}
	inside["proc/self/mountinfo"] = &fstest.MapFile{Data: []byte("30 25 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n")}
	if _, _, err := (Place{Root: inside, PID: 4242}).groups("cpu"); err == nil {
		t.Error("a cgroup outside of what is mounted was found")
	}
}

func listen(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// served are probes that count how often they are read, on a port of this machine.
func served(t *testing.T) (address string, end func(), ended chan error) {
	t.Helper()
	l := listen(t)
	reads := 0.0
	w := Start(Place{}, []Probe{{Name: "a", Metrics: []record.Metric{counter("reads", "1", "x"), gauge("still", "1", "y")}, Start: func(Place) (Read, error) {
		return func(_ context.Context, put func(string, float64)) error {
			reads++
			put("reads", reads)
			put("still", 7)
			return nil
		}, nil
	}}, {Name: "b", Start: func(Place) (Read, error) { return nil, errors.New("no such file") }}})
	ctx, cancel := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	go func() {
		ended <- w.About([]record.Fact{{Key: "host.kernel", Value: "6.18"}}).Serve(ctx, l, time.Minute)
	}()
	t.Cleanup(cancel)
	return l.Addr().String(), cancel, ended
}

// TestBeside: probes on another machine are declared and read as those here, a
// connection that breaks costs nothing but time, and the end of what reads them is
// no silence.
func TestBeside(t *testing.T) {
	address, _, ended := served(t)
	var last net.Conn
	var dials atomic.Int32
	b, err := Reach(context.Background(), func(ctx context.Context) (c net.Conn, err error) {
		if dials.Add(1) == 1 { // it is about to listen
			return nil, errors.New("connection refused")
		}
		c, err = (&net.Dialer{}).DialContext(ctx, "tcp", address)
		last = c
		return c, err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	own := Probe{Name: "own", Metrics: []record.Metric{gauge("own", "1", "z")}, Start: func(Place) (Read, error) {
		return func(_ context.Context, put func(string, float64)) error { put("own", 1); return nil }, nil
	}}
	w := Start(Place{}, []Probe{own}).With(b)
	declared := map[string]int{}
	for _, l := range w.Lines() {
		switch {
		case l.Metric != nil:
			declared[l.Metric.Name]++
		case l.Fact != nil:
			declared[l.Fact.Key+" "+l.Fact.Value+l.Fact.Unknown]++
		}
	}
	if diff := cmp.Diff(map[string]int{keys.ProbeCPUNS: 1, "reads": 1, "still": 1, "own": 1, "probe.b no such file": 1, "host.kernel 6.18": 1}, declared); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
	sample := func(want map[string]float64) {
		t.Helper()
		got := w.sample(true, time.Minute)
		if got[keys.ProbeCPUNS] <= 0 {
			t.Errorf("the probes' own cost is %v", got[keys.ProbeCPUNS])
		}
		delete(got, keys.ProbeCPUNS)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sample (-want +got):\n%s", diff)
		}
	}
	sample(map[string]float64{"reads": 1, "still": 7, "own": 1})
	sample(map[string]float64{"reads": 2})
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	sample(map[string]float64{"reads": 3, "still": 7}) // all of it: what was on its way is not known
	if f := b.Missed(); f.Key != keys.ProbeMissed || f.Value != "0 of 3" || f.Unknown != "" {
		t.Errorf("%+v", f)
	}
	// Another reader takes the place of the one before, whose connection hangs.
	other, err := Reach(context.Background(), b.dial)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got := other.sample(true, time.Minute); got["reads"] != 4 {
		t.Errorf("another reader: %v", got)
	}
	select {
	case err := <-ended:
		t.Errorf("it ended: %v", err)
	default:
	}
}

// TestBesideLost: what reads the probes is gone, and the record says so.
func TestBesideLost(t *testing.T) {
	t.Parallel() // it waits as long as an answer may take
	address, end, ended := served(t)
	b, err := Reach(context.Background(), func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got := b.sample(true, time.Minute); got["reads"] != 1 {
		t.Errorf("the first reading: %v", got)
	}
	end()
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if got := b.sample(true, patience); len(got) != 0 {
		t.Errorf("a reading of nothing: %v", got)
	}
	if f := b.Missed(); f.Value != "" || f.Unknown == "" {
		t.Errorf("%+v", f)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*redial)
	defer cancel()
	if _, err := Reach(ctx, b.dial); err == nil {
		t.Errorf("%s was reached after its end", address)
	}
}

// TestServeIdle: nobody asks any more, and it ends by itself.
func TestServeIdle(t *testing.T) {
	if err := Start(Place{}, nil).Serve(context.Background(), listen(t), time.Millisecond); err != nil {
		t.Error(err)
	}
}

// TestLateLastReading: the last reading beside the server is waited for longer than the others, as
// on a node whose CPUs others use. The clock is that of synctest.
func TestLateLastReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		go func() {
			in, out := json.NewDecoder(there), json.NewEncoder(there)
			_ = out.Encode(greeting{})
			for n := 1.0; ; n++ {
				var q question
				if in.Decode(&q) != nil {
					return
				}
				if n == 3 {
					time.Sleep(lastPatience - time.Second)
				}
				_ = out.Encode(answer{record.ValuesOf(map[string]float64{"reads": n})})
			}
		}()
		b, err := Reach(t.Context(), func(context.Context) (net.Conn, error) { return here, nil })
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		var last record.Values
		err = Start(Place{}, nil).With(b).Run(t.Context(), Window{Began: time.Now(), Measure: 2 * time.Second}, func(l record.Line) error {
			last = l.Sample.Values
			return nil
		})
		if f := b.Missed(); err != nil || maps.Collect(last.All())["reads"] != 3 || f.Unknown != "" {
			t.Errorf("%v, last %v, %+v", err, maps.Collect(last.All()), f)
		}
	})
}
