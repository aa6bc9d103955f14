package kubernetes

// Events of a server that tare makes, with an API server whose containers are this machine.

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// podProcess is a process of this machine in the place of a server in its container.
type podProcess struct {
	process *exec.Cmd
	ended   chan struct{}
}

// eventServer is a server in a pod whose process is podProcess, and whose address takes connections. Nothing answers there.
func eventServer(t *testing.T, e event.Event) (*server, *executing, *podProcess) {
	t.Helper()
	silence()
	in, c := executingCluster(t)
	in.of = target.InsideRun
	pod := serverPod("1", 0, true)
	k := withCluster(t, Settings{Image: "mysql:8.4", Events: []event.Event{e}}, pod)
	k.cluster.config = c.config
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { at.Close() })
	port := at.Addr().(*net.TCPAddr).Port
	s := &server{target: k, name: "tare-1-0", container: containerName, serverPort: port, pod: pod, forward: &forward{port: port},
		request: target.Request{Name: "t", ReadyWithin: time.Millisecond}, at: endpoint{kind: k.settings.Address, host: "127.0.0.1", port: port}}
	p := &podProcess{process: exec.CommandContext(t.Context(), "sleep", "1000"), ended: make(chan struct{})}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(in.dir, target.PIDFile), []byte(strconv.Itoa(p.process.Process.Pid)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	container, end := context.WithCancel(context.Background())
	in.ended = container
	go func() {
		_ = p.process.Wait() // a signal ended it
		end()
		close(p.ended)
	}()
	t.Cleanup(func() { _ = p.process.Process.Kill(); <-p.ended })
	return s, in, p
}

// serverPod is the server's pod, with an address of this machine.
func serverPod(uid string, restarts int32, running bool) *corev1.Pod {
	pod := mysqlPod("tare-1-0", "", "127.0.0.1")
	pod.Labels = map[string]string{armLabel: "tare-1", roleLabel: serverRole}
	pod.UID = types.UID(uid)
	status := corev1.ContainerStatus{Name: containerName, RestartCount: restarts}
	if running {
		status.State.Running = &corev1.ContainerStateRunning{}
	}
	if restarts > 0 {
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 137}
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{status}
	return pod
}

// disturbed has the events of a server happen while during lasts, which gets what is known of the first event by its key.
func disturbed(t *testing.T, s *server, during func(at place, facts func() map[string]string)) (map[string]string, target.Server) {
	t.Helper()
	wrapped := event.AloneIn(place{s}, s, "t", s.target.settings.events())
	facts := func() map[string]string {
		all := map[string]string{}
		for _, f := range wrapped.Facts(t.Context(), "end") {
			if key, is := strings.CutPrefix(f.Key, "event.1."); is {
				all[key] = f.Value + f.Unknown
			}
		}
		return all
	}
	ctx, end := context.WithCancel(t.Context())
	window, done := make(chan time.Time, 1), make(chan error, 1)
	window <- time.Now()
	go func() { done <- wrapped.Capabilities().Disturb(ctx, window, func(string, string) {}) }()
	during(place{s}, facts)
	end()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return facts(), wrapped
}

// seen waits until all of these were seen of an event.
func seen(t *testing.T, facts func() map[string]string, all ...event.Seen) {
	t.Helper()
	for _, what := range all {
		until(t, func() bool { return facts()[string(what)] != "" }, func() {})
	}
}

// until repeats something until it is so.
func until(t *testing.T, is func() bool, do func()) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it has not become so within a minute")
		}
		do()
	}
}

// TestKilledServer: a signal kills the server's process, its end and the new container are seen, and neither is a loss of
// the server. One that does not answer after the load is lost, with the reason.
func TestKilledServer(t *testing.T) {
	s, _, p := eventServer(t, event.Event{Kill: event.TheServer})
	_, wrapped := disturbed(t, s, func(at place, facts func() map[string]string) {
		<-p.ended
		setPod(t, s.target.cluster, serverPod("1", 0, false))
		if err := s.Alive(); err != nil {
			t.Errorf("a server that an event has killed: %v", err)
		}
		until(t, func() bool { return at.Down() == nil }, func() { setPod(t, s.target.cluster, serverPod("1", 1, true)) })
		seen(t, facts, event.Exited, event.Running, event.Ready, event.Listens)
	})
	if status := p.process.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("the process has ended by %v", status.Signal())
	}
	if err := s.Alive(); err != nil {
		t.Errorf("a server that runs again: %v", err)
	}
	if err := wrapped.Alive(); err == nil || !strings.HasPrefix(err.Error(), "the server did not answer within 1ms after the load; the last event was number 1") {
		t.Errorf("a server that does not come back: %v", err)
	}
	setPod(t, s.target.cluster, serverPod("1", 2, true))
	s.asked = s.asked.Add(-2 * aliveFor)
	if s.Alive() == nil {
		t.Error("a server that ended by itself after the event is alive")
	}
}

// TestDeletedPod: the pod is deleted, and the one that takes its place is the server's.
func TestDeletedPod(t *testing.T) {
	s, _, p := eventServer(t, event.Event{Delete: event.ThePod})
	there := func() bool {
		_, err := get[corev1.Pod](t.Context(), s.target.cluster, pods, s.podName())
		return err == nil
	}
	facts, _ := disturbed(t, s, func(at place, facts func() map[string]string) {
		until(t, func() bool { return !there() }, func() {})
		if err := s.Alive(); err != nil {
			t.Errorf("a server whose pod an event has deleted: %v", err)
		}
		if err := at.Down(); err == nil {
			t.Error("another event could happen to a pod that is gone")
		}
		if err := p.process.Process.Signal(syscall.SIGTERM); err != nil { // as the kubelet does
			t.Error(err)
		}
		<-p.ended
		all, err := loosely(serverPod("2", 0, true))
		if err == nil {
			_, err = s.target.cluster.scoped(pods).Create(t.Context(), all[0], metav1.CreateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		until(t, func() bool { return at.Down() == nil }, func() { setPod(t, s.target.cluster, serverPod("2", 0, true)) })
		seen(t, facts, event.Exited, event.Running, event.Ready, event.Listens)
	})
	if facts["kind"] != event.Delete || facts["failed"] != "" {
		t.Errorf("%v", facts)
	}
	if err := s.Alive(); err != nil {
		t.Errorf("the server in the next pod: %v", err)
	}
}

// TestPausedServer: its process is stopped and continues.
func TestPausedServer(t *testing.T) {
	s, _, p := eventServer(t, event.Event{Pause: event.TheServer, For: experiment.Duration(time.Hour)})
	state := func() string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.process.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(text))[2]
	}
	facts, _ := disturbed(t, s, func(place, func() map[string]string) {
		until(t, func() bool { return state() == "T" }, func() {})
	})
	if facts["ended_s"] == "" || facts["failed"] != "" {
		t.Errorf("%v", facts)
	}
	if got := state(); got == "T" {
		t.Error("the process is still stopped")
	}
}

// TestAttendant: a command does nothing before its word, and nothing where its input ends without one.
func TestAttendant(t *testing.T) {
	s, in, p := eventServer(t, event.Event{Kill: event.TheServer})
	in.ended = nil
	a, err := s.attend(t.Context(), attendScript, "KILL", pidFile)
	if err != nil {
		t.Fatal(err)
	}
	_ = a.in.Close()
	<-a.ended
	a.close()
	if err := p.process.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the process was ended without a word: %v", err)
	}
	if a.endedWithContainer() {
		t.Error("a command that ended by itself is taken for the end of the container")
	}
	if err := os.WriteFile(filepath.Join(in.dir, target.PIDFile), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err = s.attend(t.Context(), attendScript, "KILL", pidFile); err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if err := (place{s}).signalled(t.Context(), a); err == nil || !strings.HasPrefix(err.Error(), "signal the server: ") {
		t.Errorf("a signal to no process: %v", err)
	}
}

// TestAge: the age of a process is that between its start and the question, by neither clock of the two.
func TestAge(t *testing.T) {
	s, _, p := eventServer(t, event.Event{Kill: event.TheServer})
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.process.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		t.Fatal(err)
	}
	up, err := strconv.ParseFloat(strings.Fields(string(uptime))[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	ticksSinceBoot, err := strconv.ParseFloat(strings.Fields(string(stat))[21], 64)
	if err != nil {
		t.Fatal(err)
	}
	began, err := s.beganRunning(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := time.Now().Add(-time.Duration((up - ticksSinceBoot/ticks) * float64(time.Second)))
	if off := began.Sub(want).Seconds(); math.Abs(off) > 30 { // the machine may be busy: this finds a wrong unit or field
		t.Errorf("the process began %.1f s beside its start", off)
	}
	for text, want := range map[string]time.Duration{
		"100.50 7 (my sql) d) S 1 7 7 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 40 0 9050 1000 100": 10 * time.Second,
		"": 0, "100.50": 0, "x 7 (a) S": 0,
	} {
		if got, err := ageOf(text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestPodOfEvents: a server that is to be signalled is not the first process of its process namespace, and its pods after an
// event know the start that they belong to. Other servers are as they were.
func TestPodOfEvents(t *testing.T) {
	for _, c := range []struct {
		e              event.Event
		shares, starts bool
		address        string
	}{
		{event.Event{Kill: event.TheServer}, true, true, podAddress}, {event.Event{Delete: event.ThePod}, false, true, serviceAddress},
		{event.Event{Command: []string{"true"}}, false, false, podAddress},
	} {
		k := withCluster(t, Settings{Image: "mysql:8.4", Events: []event.Event{c.e}})
		s := &server{target: k, request: target.Request{Name: "t"}}
		if err := s.secrets(t.Context()); err != nil {
			t.Fatal(err)
		}
		shared := s.podSpec().ShareProcessNamespace
		if _, starts := s.secret().Data["start"]; starts != c.starts || (shared != nil) != c.shares || k.settings.Address != c.address {
			t.Errorf("%+v: share %v, start %v, address %s", c.e, shared, starts, k.settings.Address)
		}
		watches := slices.Contains(rightsOf(runPermissions(), k.settings), right{"watch", "", "pods", ""})
		if watches != c.starts {
			t.Errorf("%+v: may watch pods: %v", c.e, watches)
		}
	}
}
