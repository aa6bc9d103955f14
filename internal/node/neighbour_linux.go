package node

import (
	"bufio"
	"cmp"
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

// RunningNeighbour is a neighbour at work.
type RunningNeighbour struct {
	neighbour Neighbour
	dir       string
	pod       *Pod
	oomAdj    int
	pid       int
	stdin     io.WriteCloser
	turns     *Turns
	followed  chan Followed // gets what became of the turns; closed when the process prints no more
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
func (n Neighbour) Start(ctx context.Context, t *Tree, capacity Resources, argv []string, dir string, turns *Turns) (*RunningNeighbour, error) {
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
		neighbour: n, dir: dir, pod: pod, turns: turns, followed: make(chan Followed, 1), ended: make(chan struct{}),
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
		said := bufio.NewReader(stdout)
		ready <- r.begin(cmd.Process.Pid, stdin, said)
		r.listen(said)
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
func (r *RunningNeighbour) begin(pid int, stdin io.Writer, stdout *bufio.Reader) error {
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
	work := Work{CPU: n.CPU, Memory: n.Memory, Bandwidth: n.MemoryBandwidth, Disk: n.Disk, Network: n.Network, Dir: r.dir, Turns: r.turns}
	if err := json.NewEncoder(stdin).Encode(work); err != nil {
		return err
	}
	if line, err := stdout.ReadString('\n'); err != nil || line != AtWork {
		return errors.New("the process ended before it began its work")
	}
	return nil
}

// listen reads what the process prints after its first line, to the end.
func (r *RunningNeighbour) listen(stdout *bufio.Reader) {
	defer close(r.followed)
	for lines := json.NewDecoder(stdout); ; {
		var f Followed
		if lines.Decode(&f) != nil { // the process has ended
			return
		}
		select {
		case r.followed <- f:
		default: // it says it once
		}
	}
}

// BeginTurns tells a neighbour in turns when the first one begins; another one has none.
func (r *RunningNeighbour) BeginTurns(at time.Time) error {
	if r.turns == nil {
		return nil
	}
	if _, err := io.WriteString(r.stdin, BeginLine(at)); err != nil {
		return fmt.Errorf("tell the neighbour when its turns begin: %w", err)
	}
	return nil
}

// EndTurns says what became of the turns, once they are over.
func (r *RunningNeighbour) EndTurns(ctx context.Context) ([]record.Fact, error) {
	select {
	case f, ok := <-r.followed:
		if !ok {
			return nil, fmt.Errorf("the neighbour did not follow the turns: %w", cmp.Or(r.Alive(), errors.New("it printed nothing")))
		}
		return f.Facts("the neighbour's process"), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the neighbour did not say that its turns are over: %w", context.Cause(ctx))
	}
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
