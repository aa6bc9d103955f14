package loop_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

// bench is a server of a test with the schema sbtest and a user without special
// rights, whom read_only stops.
type bench struct {
	*mysqldtest.Server
	mysql   bool
	address mysqld.Address // of the user, TCP
}

func newBench(t testing.TB, d mysqld.Distribution) *bench {
	t.Helper()
	config := map[string]string{"local_infile": "ON", "innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0", "innodb_buffer_pool_size": "512M"}
	server := mysqldtest.StartTCP(t, d, config)
	b := &bench{Server: server, mysql: d.Flavour == "mysql",
		address: mysqld.Address{Host: "127.0.0.1", Port: server.Options.Port, User: "app", Password: "p w'\"", Schema: "sbtest"}}
	b.exec(t, "CREATE SCHEMA sbtest", `CREATE USER app@'127.0.0.1' IDENTIFIED BY 'p w\'"'`, "GRANT ALL ON sbtest.* TO app@'127.0.0.1'")
	return b
}

// root is a session of root over the socket.
func (b *bench) root(t testing.TB) *wire.Session {
	t.Helper()
	return dial(t, b.Address)
}

func dial(t testing.TB, a mysqld.Address) *wire.Session {
	t.Helper()
	d, err := wire.NewDialer(a)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (b *bench) exec(t testing.TB, statements ...string) {
	t.Helper()
	s := b.root(t)
	for _, sql := range statements {
		if err := s.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	s.Close()
}

// prepare makes the data of the options.
func (b *bench) prepare(t testing.TB, o workload.Options) {
	t.Helper()
	d, err := wire.NewDialer(b.address)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill.Run(t.Context(), fill.Job{Tables: o.OLTPTables(1), Dial: d.Dial, Workers: 2, Verify: true}); err != nil {
		t.Fatal(err)
	}
}

func small(tables, rows, threads int) workload.Options {
	o := workload.Defaults()
	o.Tables, o.TableSize, o.Threads = tables, rows, threads
	return o
}

func (b *bench) job(t testing.TB, name string, o workload.Options) *loop.Job {
	t.Helper()
	p, err := workload.Build(name, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := wire.NewDialer(b.address)
	if err != nil {
		t.Fatal(err)
	}
	return &loop.Job{Program: p, Dial: d.Dial, Connections: o.Threads, Seed: 1, Drain: 20 * time.Second, DialAtOnce: 8,
		Faults: loop.Policy{FirstPause: 5 * time.Millisecond, LongestPause: 200 * time.Millisecond}}
}

func run(t testing.TB, j *loop.Job) *loop.Result {
	t.Helper()
	r, err := loop.Run(t.Context(), j, func(loop.Interval) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// onServer are the tests that need a server. All share one of each kind, because to
// make it takes longer than most of them; each has an empty schema, and the settings
// that it names. What is of the loop's own clock, whoever answers, runs on the first
// server alone.
func onServer() []serverTest {
	return []serverTest{
		{name: "workloads", test: workloads},
		{name: "mixes", test: mixes},
		{name: "bulk insert", test: bulkInsert},
		{name: "hot path does not allocate", test: hotPathDoesNotAllocate},
		{name: "workload files", test: workloadFiles},
		{name: "values arrive as they are", test: valuesArriveAsTheyAre},
		{name: "think times", test: thinkTimes, once: true},
		{name: "limited", test: limited, once: true},
		{name: "hot path of a file does not allocate", test: fileHotPathDoesNotAllocate},
		{name: "mistakes that the server sees", test: mistakesThatTheServerSees},
		{name: "window", test: window},
		{name: "generators do not meet", test: generatorsDoNotMeet},
		{name: "agrees with sysbench", test: agreesWithSysbench},
		{name: "parts send what the whole would", test: partsSendWhatTheWholeWould, once: true},
		{name: "slow commits", test: slowCommits, once: true},
		{name: "arrivals outnumber the server", test: arrivalsOutnumberTheServer, once: true},
		{name: "killed connections", test: killedConnections},
		{name: "renewed connections", test: renewedConnections},
		{name: "read-only server", test: readOnlyServer},
		{name: "stop at an error", test: stopAtError},
		{name: "deadlocks and lock waits", global: map[string]string{"innodb_lock_wait_timeout": "1"}, test: deadlocksAndLockWaits},
		{name: "last ones are done", global: map[string]string{"innodb_lock_wait_timeout": "1"}, test: lastOnesAreDone, once: true},
		{name: "too many connections", global: map[string]string{"max_connections": "30"}, test: tooManyConnections},
		{name: "packet too large", global: map[string]string{"max_allowed_packet": "16384"}, test: packetTooLarge},
		{name: "stopped server", test: stoppedServer, once: true},
		{name: "restart", test: restart}, // the last: it ends the server
	}
}

type serverTest struct {
	name   string
	global map[string]string // variables, for this test alone
	test   func(*testing.T, *bench)
	once   bool
}

func TestOnServer(t *testing.T) {
	for i, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			b := newBench(t, d)
			for _, c := range onServer() {
				if c.once && i > 0 {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					b.exec(t, "DROP SCHEMA sbtest", "CREATE SCHEMA sbtest")
					for name, value := range c.global {
						b.exec(t, "SET GLOBAL "+name+" = "+value)
						defer b.exec(t, "SET GLOBAL "+name+" = DEFAULT")
					}
					c.test(t, b)
				})
			}
		})
	}
}

// start runs a job beside the test and returns what gives its result.
func start(t *testing.T, j *loop.Job, show func(loop.Interval)) (wait func() *loop.Result) {
	t.Helper()
	return startIn(t.Context(), t, j, make(chan struct{}), show)
}

// startIn ends the job, without an error, with the context, and closes gone when it has ended.
func startIn(ctx context.Context, t *testing.T, j *loop.Job, gone chan<- struct{}, show func(loop.Interval)) (wait func() *loop.Result) {
	t.Helper()
	type ended struct {
		r   *loop.Result
		err error
	}
	done := make(chan ended, 1)
	ctx, cancel := context.WithCancel(ctx)
	t.Cleanup(cancel)
	go func() {
		defer close(gone)
		r, err := loop.Run(ctx, j, show)
		done <- ended{r, err}
	}()
	return func() *loop.Result {
		t.Helper()
		e := <-done
		if e.err != nil {
			t.Fatal(e.err)
		}
		return e.r
	}
}

// progress is what the intervals of a load have shown so far, for a test that waits for
// an event in it.
type progress struct {
	sync.Mutex
	wants      func(loop.Interval) bool // nil: nobody waits
	came       chan struct{}
	ended      <-chan struct{} // of the load; nil where nobody says
	reconnects int64
	errors     map[uint16]int64
}

func (p *progress) show(i loop.Interval) {
	p.Lock()
	defer p.Unlock()
	p.reconnects += i.Reconnects
	if p.errors == nil {
		p.errors = map[uint16]int64{}
	}
	for code, n := range i.Errors {
		p.errors[code] += n
	}
	if p.wants != nil && p.wants(i) {
		p.wants = nil
		close(p.came)
	}
}

// await waits for an interval from now on that wants accepts. The limit only detects a hang.
func (p *progress) await(t *testing.T, what string, wants func(loop.Interval) bool) {
	t.Helper()
	if err := p.comes(t, what, wants); err != nil {
		t.Fatal(err)
	}
}

// comes is await that returns an error where the load has ended without such an interval.
func (p *progress) comes(t *testing.T, what string, wants func(loop.Interval) bool) error {
	t.Helper()
	came := make(chan struct{})
	p.Lock()
	p.wants, p.came = wants, came
	p.Unlock()
	select {
	case <-came:
	case <-p.ended:
		return fmt.Errorf("the load has ended without an interval with %s", what)
	case <-time.After(3 * time.Minute):
		p.Lock()
		defer p.Unlock()
		t.Fatalf("no interval with %s; %d reconnects, errors %v", what, p.reconnects, p.errors)
	}
	return nil
}

// served waits for an interval in which the server answered.
func (p *progress) served(t *testing.T) {
	t.Helper()
	if err := p.serves(t); err != nil {
		t.Fatal(err)
	}
}

// serves is served of a load that may end before.
func (p *progress) serves(t *testing.T) error {
	t.Helper()
	return p.comes(t, "transactions", func(i loop.Interval) bool { return i.Transactions > 0 })
}

// startUntil starts a job that ends when the test says that it has seen enough.
func startUntil(t *testing.T, j *loop.Job) (p *progress, enough func() *loop.Result) {
	t.Helper()
	j.Time, j.Interval = 4*time.Minute, 500*time.Millisecond // at most
	gone := make(chan struct{})
	p = &progress{ended: gone}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	wait := startIn(ctx, t, j, gone, p.show)
	return p, func() *loop.Result {
		t.Helper()
		cancel()
		return wait()
	}
}
