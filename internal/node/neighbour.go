package node

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/spawn"
)

// Neighbour is a pod beside the server that uses up what the machine has: the
// neighbour: block of an arm. Its class follows from its requests and limits:
// BestEffort without any, Guaranteed with both limits.
type Neighbour struct {
	// CPU is how much it burns: whole CPUs with a thread each that never
	// sleeps, the rest by sleeping a part of every 10 ms.
	CPU CPU `yaml:"cpu"`
	// Memory is how much it keeps in use.
	Memory Bytes `yaml:"memory"`
	// MemoryBandwidth, Disk and Network are numbers of threads that stream through
	// memory, write to the disk of the server's data, and send over loopback.
	MemoryBandwidth int `yaml:"memoryBandwidth"`
	Disk            int `yaml:"disk"`
	Network         int `yaml:"network"`
	// Request and MemoryRequest are its requests, Limit and MemoryLimit its limits.
	Request       CPU   `yaml:"request"`
	MemoryRequest Bytes `yaml:"memoryRequest"`
	Limit         CPU   `yaml:"limit"`
	MemoryLimit   Bytes `yaml:"memoryLimit"`
}

// needs is the memory its work takes.
func (n Neighbour) needs() Bytes { return n.Memory + Bytes(n.MemoryBandwidth)*2*streamSize }

// Requirements are the neighbour's as those of a pod.
func (n Neighbour) Requirements() Requirements {
	return Requirements{
		Request: Resources{CPU: n.Request, Memory: n.MemoryRequest}, Limit: Resources{CPU: n.Limit, Memory: n.MemoryLimit},
	}.Defaulted()
}

// Check says what is impossible about the neighbour on a machine of this
// capacity.
func (n Neighbour) Check(capacity Resources) []error {
	var errs []error
	if n.CPU == 0 && n.Memory == 0 && n.MemoryBandwidth == 0 && n.Disk == 0 && n.Network == 0 {
		errs = append(errs, errors.New("it does nothing; write cpu: 1, memory: 1Gi, memoryBandwidth: 1, disk: 1 or network: 1"))
	}
	errs = append(errs, n.checkThreads()...)
	errs = append(errs, n.checkLimits(capacity)...)
	if n.CPU != MaxCPU && n.CPU > capacity.CPU {
		errs = append(errs, fmt.Errorf("cpu %v is more than this machine's %v; write cpu: %v or cpu: max", n.CPU, capacity.CPU, capacity.CPU))
	}
	if n.Memory > capacity.Memory {
		errs = append(errs, fmt.Errorf("memory %v is more than this machine's %v", n.Memory, capacity.Memory))
	}
	if n.Request == MaxCPU || n.Request > capacity.CPU {
		errs = append(errs, fmt.Errorf("request %v does not fit; write at most request: %v", n.Request, capacity.CPU))
	}
	if n.MemoryRequest > capacity.Memory {
		errs = append(errs, fmt.Errorf("memoryRequest %v is more than this machine's %v", n.MemoryRequest, capacity.Memory))
	}
	return errs
}

// maxThreads bounds each kind of thread; more than a few of them wait for each
// other.
const maxThreads = 64

func (n Neighbour) checkThreads() []error {
	var errs []error
	for _, kind := range []struct {
		name string
		n    int
	}{{"memoryBandwidth", n.MemoryBandwidth}, {"disk", n.Disk}, {"network", n.Network}} {
		if kind.n < 0 || kind.n > maxThreads {
			errs = append(errs, fmt.Errorf("%s is a number of threads, 0 to %d; write %s: 1", kind.name, maxThreads, kind.name))
		}
	}
	return errs
}

func (n Neighbour) checkLimits(capacity Resources) []error {
	var errs []error
	if n.Limit == MaxCPU || n.Limit > capacity.CPU {
		errs = append(errs, fmt.Errorf("limit %v does not fit; write at most limit: %v", n.Limit, capacity.CPU))
	}
	if n.Limit > 0 && n.Request > n.Limit {
		errs = append(errs, fmt.Errorf("request %v is more than limit %v", n.Request, n.Limit))
	}
	if n.MemoryLimit > 0 && n.MemoryRequest > n.MemoryLimit {
		errs = append(errs, fmt.Errorf("memoryRequest %v is more than memoryLimit %v", n.MemoryRequest, n.MemoryLimit))
	}
	// Its own program takes some, too.
	if own := Bytes(32 << 20); n.MemoryLimit > 0 && n.needs()+own > n.MemoryLimit {
		errs = append(errs, fmt.Errorf("memoryLimit %v is less than the memory that it uses, and the kernel would kill it; write memoryLimit: %v or more", n.MemoryLimit, n.needs()+own))
	}
	return errs
}

// RunningNeighbour is a neighbour at work.
type RunningNeighbour struct {
	neighbour Neighbour
	dir       string
	pod       *Pod
	oomAdj    int
	pid       int
	stdin     io.Closer
	stop      sync.Once
	ended     chan struct{} // closed when the process is gone; err is set before
	err       error
	stay      stay // while it is frozen
}

// Start puts the neighbour's pod into the tree and its process to work, and
// returns when its memory is in use and its threads are at work. argv is the
// command that ends in RunNeighbour; its files lie in dir while it runs. The
// process is in its cgroup before it begins. When Start returns an error, no
// process is left.
func (n Neighbour) Start(ctx context.Context, t *Tree, capacity Resources, argv []string, dir string) (*RunningNeighbour, error) {
	if len(argv) == 0 {
		return nil, errors.New("start neighbour: this tare does not know its own command")
	}
	n.CPU = n.CPU.Resolve(capacity.CPU)
	pod, err := t.AddPod("neighbour", "neighbour.", n.Requirements(), Enforced{})
	if err != nil {
		return nil, record.StartNeighbour.Wrap(err)
	}
	if err := pod.makeContainer(); err != nil {
		return nil, record.StartNeighbour.Wrap(err)
	}
	r := &RunningNeighbour{
		neighbour: n, dir: dir, pod: pod, ended: make(chan struct{}),
		oomAdj: OOMScoreAdj(pod.class, pod.request.Memory, capacity.Memory),
	}
	if err := r.start(ctx, t.name, argv); err != nil {
		return nil, record.StartNeighbour.Wrap(err)
	}
	t.neighbour = r
	return r, nil
}

func (r *RunningNeighbour) start(ctx context.Context, instance string, argv []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TARE_INSTANCE=" + instance}
	// Two ways for the neighbour not to outlive a tare that was killed: its
	// standard input ends, and the kernel kills it. A process group of its own
	// keeps a terminal's interrupt from it: the trial ends in its own order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	r.stdin = stdin
	ready := make(chan error, 1)
	err = spawn.StartHeld(cmd.Start, func() {
		ready <- r.begin(cmd.Process.Pid, stdin, stdout)
		r.err = cmd.Wait()
		close(r.ended)
	})
	if err != nil {
		return err
	}
	r.pid = cmd.Process.Pid
	select {
	case err = <-ready:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		r.Stop()
		return fmt.Errorf("%w %s", err, strings.TrimSpace(complaint.String()))
	}
	return nil
}

// begin puts the waiting process into its place, tells it to go, and waits for
// its word that it is at work.
func (r *RunningNeighbour) begin(pid int, stdin io.Writer, stdout io.Reader) error {
	if err := r.pod.enter(pid); err != nil {
		return err
	}
	adj := filepath.Join("/proc", strconv.Itoa(pid), "oom_score_adj")
	// Without CAP_SYS_RESOURCE nothing below tare's own value may be given
	// (proc_pid_oom_score_adj(5)), and that one stays; the facts have both.
	if err := os.WriteFile(adj, []byte(strconv.Itoa(r.oomAdj)), 0); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	n := r.neighbour
	work := Work{CPU: n.CPU, Memory: n.Memory, Bandwidth: n.MemoryBandwidth, Disk: n.Disk, Network: n.Network, Dir: r.dir}
	if err := json.NewEncoder(stdin).Encode(work); err != nil {
		return err
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != AtWork {
		return errors.New("the process ended before it began its work")
	}
	return nil
}

// Alive returns nil while the neighbour runs, else how it ended.
func (r *RunningNeighbour) Alive() error {
	select {
	case <-r.ended:
		if r.err == nil {
			return errors.New("the neighbour ended")
		}
		return fmt.Errorf("the neighbour ended: %w", r.err)
	default:
		return nil
	}
}

// Stop ends the neighbour and waits until its process is gone, for a while. Its cgroups go
// with the tree. Idempotent.
func (r *RunningNeighbour) Stop() {
	r.stop.Do(func() {
		r.stdin.Close()
		select {
		case <-r.ended:
		case <-time.After(time.Second):
			// It starves, or its memory takes long to give back.
			_ = syscall.Kill(r.pid, syscall.SIGKILL) // ended by itself meanwhile
		}
	})
	select {
	case <-r.ended:
	case <-time.After(killPatience): // the sweep of the instance finds and names it
	}
}

// killPatience is how long a killed process may take to give its memory back.
const killPatience = 30 * time.Second

// Facts say what the neighbour was told to do and whether it still does it. What
// it used up stands in its cgroup: Tree.ReadBack.
func (r *RunningNeighbour) Facts(phase string) []record.Fact {
	alive := record.Fact{Key: keys.NeighbourAlive, Value: "yes", Phase: phase}
	if err := r.Alive(); err != nil {
		alive.Value = "no: " + err.Error()
	}
	if phase != "start" {
		return []record.Fact{alive}
	}
	proc := filepath.Join("/proc", strconv.Itoa(r.pid))
	facts := []record.Fact{
		alive,
		{Key: keys.NeighbourCPU, Value: r.neighbour.CPU.String(), Phase: phase},
		{Key: keys.NeighbourMemory, Value: r.neighbour.Memory.String(), Phase: phase},
		{Key: keys.NeighbourMemoryBandwidth, Value: strconv.Itoa(r.neighbour.MemoryBandwidth), Phase: phase},
		{Key: keys.NeighbourDisk, Value: strconv.Itoa(r.neighbour.Disk), Phase: phase},
		{Key: keys.NeighbourNetwork, Value: strconv.Itoa(r.neighbour.Network), Phase: phase},
		{Key: keys.NeighbourQoS, Value: string(r.pod.class), Phase: phase},
		{Key: keys.NeighbourOOMScoreAdjWanted, Value: strconv.Itoa(r.oomAdj), Phase: phase},
	}
	facts = append(facts, readSheet(keys.NeighbourOOMScoreAdj, filepath.Join(proc, "oom_score_adj"), sheet{}, phase)...)
	return append(facts, readSheet(keys.NeighbourCgroup, filepath.Join(proc, "cgroup"), sheet{}, phase)...)
}
