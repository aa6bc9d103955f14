package process_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
	"github.com/tarebench/tare/internal/target/targettest"
)

// orphanArgument makes this test binary a tare that is going to be killed.
const orphanArgument = "start-and-wait"

// orphan starts the server that standard input asks for and waits.
func orphan() {
	var o orphaned
	err := json.NewDecoder(os.Stdin).Decode(&o)
	settings := noSettings
	if o.Replication != nil {
		settings = replicated(*o.Replication)
	}
	if err == nil {
		var p target.Target
		if p, err = process.New(settings, process.Env{}); err == nil {
			var s target.Server
			if s, err = p.Start(context.Background(), o.Request); err == nil {
				// A server that still prints could also die of its closed output.
				err = mysqld.Ready(context.Background(), s.Address(), o.Request.ReadyWithin, s.Alive)
			}
			if err == nil && s.Capabilities().Join != nil {
				err = s.Capabilities().Join(context.Background(), o.Request.ReadyWithin)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("started")
	time.Sleep(time.Minute)
}

// TestServerDiesWithTare: a killed tare takes its server with it, without a
// sweep.
func TestServerDiesWithTare(t *testing.T) {
	t.Parallel()
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	tare := startOrphan(t, r, nil)
	if n := processes(t, r); n != 1 {
		t.Errorf("%d processes of the instance run, want its server", n)
	}
	if err := tare.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = tare.Wait() // "signal: killed"
	for deadline := time.Now().Add(5 * time.Minute); processes(t, r) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the server outlives its tare")
		}
	}
}

func processes(t *testing.T, r target.Request) int {
	t.Helper()
	found, err := target.Scan(r.Name, r.Dir, r.RunDir)
	if err != nil {
		t.Fatal(err)
	}
	return len(found.Processes)
}

// TestServerOutlivesThreads: the end of other threads, among them the one that
// called Start, is none of the server's.
func TestServerOutlivesThreads(t *testing.T) {
	t.Parallel()
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	p, err := process.New(noSettings, process.Env{})
	if err != nil {
		t.Fatal(err)
	}
	servers := make(chan target.Server)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends
		s, err := p.Start(context.Background(), r)
		if err != nil {
			t.Error(err)
		}
		servers <- s
	}()
	s := <-servers
	if s == nil {
		t.FailNow()
	}
	defer s.Stop(context.Background())
	for range 100 {
		ended := make(chan bool)
		go func() {
			runtime.LockOSThread()
			close(ended)
		}()
		<-ended
	}
	time.Sleep(300 * time.Millisecond)
	if err := s.Alive(); err != nil {
		t.Error(err)
	}
}
