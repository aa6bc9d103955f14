package external

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/targettest"
)

// someone is a server that is not tare's, with accounts tare and guest, who may
// do nothing.
type someone struct {
	server *mysqldtest.Server
	port   int
	root   *sql.DB
}

// serve starts such a server on a port of the loopback interface. TLS is the
// server's own certificates (MySQL makes them at its first start) or, with
// certificates, those for 127.0.0.1 from them.
func serve(t *testing.T, d mysqld.Distribution, certificates *authority) someone {
	t.Helper()
	o := mysqldtest.Prepare(t, d, map[string]string{"innodb_buffer_pool_size": "64M"})
	o.Port = mysqldtest.FreePort(t)
	if certificates != nil {
		for name, file := range certificates.install(t, filepath.Dir(o.DefaultsFile), d.UID) {
			o.Config[name] = file
		}
	}
	mysqldtest.WriteDefaults(t, d, o)
	mysqldtest.Initialize(t, d, o)
	s := someone{server: mysqldtest.Run(t, d, o), port: o.Port}
	var err error
	if s.root, err = mysqld.Open(s.server.Address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.root.Close() })
	s.run(t, "CREATE USER tare@'%' IDENTIFIED BY '"+secret+"'", "GRANT ALL ON `tare\\_%`.* TO tare@'%'",
		"CREATE USER guest@'%' IDENTIFIED BY '"+secret+"'")
	t.Setenv("TARE_TEST_PASSWORD", secret)
	return s
}

func (s someone) run(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := s.root.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// target is the target with these settings beside host, port and password.
func (s someone) target(t *testing.T, settings string) *external {
	t.Helper()
	e, err := parse(fmt.Sprintf("{host: 127.0.0.1, port: %d, passwordEnv: TARE_TEST_PASSWORD, %s}", s.port, settings))
	if err != nil {
		t.Fatal(err)
	}
	return e.(*external)
}

// requests are for targets that start nothing: no data, no distribution.
func requests(t *testing.T) func() target.Request {
	t.Helper()
	home, err := os.MkdirTemp("", "tare-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	n := 0
	return func() target.Request {
		n++
		name := fmt.Sprintf("external-%d-%d", os.Getpid(), n)
		r := target.Request{
			Name: name, Dir: filepath.Join(home, name), RunDir: filepath.Join(home, name, "run"),
			Log: io.Discard, ReadyWithin: 5 * time.Minute,
		}
		if err := os.MkdirAll(r.RunDir, 0o755); err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// TestExternal: the conformance suite, and the server is as it was afterwards.
func TestExternal(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := serve(t, d, nil)
			s.run(t, "CREATE DATABASE app", "CREATE TABLE app.t (i INT)", "INSERT INTO app.t VALUES (1)")
			before := s.state(t)
			e := s.target(t, "user: tare")
			targettest.Run(t, func(t *testing.T) (target.Target, func() target.Request) { return e, requests(t) })
			for range 2 {
				if err := e.Release(context.Background()); err != nil {
					t.Errorf("Release: %v", err)
				}
			}
			if diff := cmp.Diff(before, s.state(t)); diff != "" {
				t.Errorf("the server has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// state is what of a server tare must not change: schemas, tables, accounts and
// global variables.
func (s someone) state(t *testing.T) map[string]string {
	t.Helper()
	state, err := mysqld.Variables(context.Background(), s.root)
	if err != nil {
		t.Fatal(err)
	}
	// What moves by itself.
	for _, name := range []string{"timestamp", "gtid_binlog_pos", "gtid_binlog_state", "gtid_current_pos", "gtid_executed"} {
		delete(state, name)
	}
	for name, query := range map[string]string{
		"schemas":  "SELECT GROUP_CONCAT(schema_name ORDER BY 1) FROM information_schema.schemata",
		"tables":   "SELECT GROUP_CONCAT(table_schema, '.', table_name ORDER BY 1) FROM information_schema.tables WHERE table_schema NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')",
		"accounts": "SELECT GROUP_CONCAT(user, '@', host ORDER BY 1) FROM mysql.user",
	} {
		var value string
		if err := s.root.QueryRow(query).Scan(&value); err != nil {
			t.Fatal(err)
		}
		state["the "+name] = value
	}
	return state
}

// TestCheckRefuses: what is wrong is said by field, in time, and without the
// password.
func TestCheckRefuses(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			s := serve(t, d, nil)
			t.Setenv("TARE_TEST_WRONG", "not-"+secret)
			closed := mysqldtest.FreePort(t)
			for _, c := range []struct{ settings, field, says string }{
				{"user: tare", "", ""},
				{"user: guest", "user", "may not create the schema"},
				{"user: tare, schema: other", "user", "GRANT ALL ON `other`.*"},
				{"user: nobody", "user", "check the user and the password"},
				{"user: tare, passwordEnv: TARE_TEST_WRONG", "user", "check the user and the password"},
				{"user: tare, passwordEnv: TARE_TEST_UNSET", "passwordEnv", "is not set"},
				{"user: tare, tls: required", "tls", noTLS(d)},
				{"user: tare, ca: /no/such/file, tls: verify-ca", "ca", "no such file"},
				{fmt.Sprintf("user: tare, port: %d", closed), "host", "refused"},
			} {
				e := s.override(t, c.settings)
				expect(t, c.settings, errors.Join(e.Check(context.Background())...), c.field, c.says)
			}
		})
	}
}

// noTLS is what is said of a server without TLS: MariaDB 10.11 has none unless
// it is given certificates, MySQL makes its own.
func noTLS(d mysqld.Distribution) string {
	if d.Flavour == mysqld.MariaDB && strings.HasPrefix(d.Version, "10.") {
		return "has no TLS"
	}
	return ""
}

// override is target with settings that may stand twice; the last counts.
func (s someone) override(t *testing.T, settings string) *external {
	t.Helper()
	e, err := New(func(into any) error {
		set := into.(*Settings)
		*set = Settings{Host: "127.0.0.1", Port: s.port, PasswordEnv: "TARE_TEST_PASSWORD"}
		return yamlInto("{"+settings+"}", set)
	}, Env{})
	if err != nil {
		t.Fatal(err)
	}
	return e.(*external)
}

// expect checks an error's field and text, none for says "", and that it does
// not tell the password.
func expect(t *testing.T, what string, err error, field, says string) {
	t.Helper()
	if err == nil && says == "" {
		return
	}
	var f target.FieldError
	if err == nil || says == "" || !errors.As(err, &f) || f.Field != field || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v; want one of field %q with %q", what, err, field, says)
	}
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("%s: the error tells the password: %v", what, err)
	}
}

// testForeignSchema: a schema that tare did not make is refused at every step
// and stays as it is.
func testForeignSchema(t *testing.T, s someone) {
	s.run(t, "CREATE DATABASE tare_bench", "CREATE TABLE tare_bench.precious (i INT)")
	defer s.run(t, "DROP DATABASE tare_bench")
	before := s.state(t)
	e := s.target(t, "user: tare")
	expect(t, "Check", errors.Join(e.Check(context.Background())...), "schema", "no marker")
	if _, err := e.Start(context.Background(), requests(t)()); !errors.Is(err, mysqld.ErrForeignSchema) {
		t.Errorf("Start on a foreign schema: %v", err)
	}
	if err := e.Release(context.Background()); !errors.Is(err, mysqld.ErrForeignSchema) {
		t.Errorf("Release of a foreign schema: %v", err)
	}
	if diff := cmp.Diff(before, s.state(t)); diff != "" {
		t.Errorf("the server has changed (-before +after):\n%s", diff)
	}
}

// TestServer: one server, looked at from several sides.
func TestServer(t *testing.T) {
	d := mysqldtest.Distributions(t)[0]
	s := serve(t, d, nil)
	start := func(t *testing.T) target.Server {
		server, err := s.target(t, "user: tare").Start(context.Background(), requests(t)())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Stop(context.Background()) })
		return server
	}
	t.Run("Replica", func(t *testing.T) { testReplica(t, s) })
	t.Run("Others", func(t *testing.T) { testOthers(t, s) })
	t.Run("Facts", func(t *testing.T) { testFacts(t, start(t), d) })
	t.Run("Socket", func(t *testing.T) { testSocket(t, s) })
	t.Run("Certificates", func(t *testing.T) { testOwnCertificates(t, s, d) })
	t.Run("Gone", func(t *testing.T) { testGone(t, start(t), s) })
}

// testReplica: a server that cannot be written is said to be one.
func testReplica(t *testing.T, s someone) {
	s.run(t, "SET GLOBAL read_only = ON")
	defer s.run(t, "SET GLOBAL read_only = OFF")
	expect(t, "a replica", errors.Join(s.target(t, "user: tare").Check(context.Background())...), "host", "is read-only (read_only=ON)")
}

// testOthers: a server that others use is refused, unless that is accepted.
func testOthers(t *testing.T, s someone) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	var mu sync.Mutex
	var ended []time.Time // of each statement, since the last Check began
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if _, err := s.root.ExecContext(ctx, "DO 1"); err != nil {
				continue // until it is cancelled
			}
			mu.Lock()
			ended = append(ended, time.Now())
			mu.Unlock()
		}
	}()
	var refusal error
	mysqldtest.Attempts(t, 20, func() error {
		mu.Lock()
		ended = []time.Time{time.Now()}
		mu.Unlock()
		refusal = errors.Join(s.target(t, "user: tare").Check(context.Background())...)
		mu.Lock()
		defer mu.Unlock()
		if refusal == nil && idle(append(ended, time.Now())) {
			return errors.New("the client was off the CPU while the Check counted its statements")
		}
		return nil
	})
	expect(t, "others", refusal, "host", "has other clients: ")
	expect(t, "others, accepted", errors.Join(s.target(t, "user: tare, shared: true").Check(context.Background())...), "", "")
	cancel()
	<-done
}

// idle says that in a second of these times there were so few statements that a server may be taken
// for one that no one uses.
func idle(ended []time.Time) bool {
	const few = 2 * idleEnough
	for i := few; i < len(ended); i++ {
		if ended[i].Sub(ended[i-few]) > listenFor {
			return true
		}
	}
	return len(ended) <= few
}

// testFacts: what cannot be known is said to be, and no fact tells a password.
func testFacts(t *testing.T, server target.Server, d mysqld.Distribution) {
	unknown := map[string]string{}
	for _, f := range server.Facts(context.Background(), "start") {
		if strings.Contains(fmt.Sprint(f), secret) {
			t.Errorf("fact %s tells the password", f.Key)
		}
		if f.Unknown != "" {
			unknown[f.Key] = f.Unknown
		}
		if f.Key == "external.version" && !strings.HasPrefix(d.Version, strings.Fields(f.Value)[0]) {
			t.Errorf("version %q of a server %q", f.Value, d.Version)
		}
	}
	for _, key := range []string{"server.cgroup", "server.runqueue_wait_ns", "external.neighbours"} {
		if !strings.Contains(unknown[key], "no access") {
			t.Errorf("%s does not say that it cannot be known: %q", key, unknown[key])
		}
	}
}

// testSocket: a server of this machine by its Unix socket.
func testSocket(t *testing.T, s someone) {
	e, err := parse(fmt.Sprintf("{socket: %s, user: tare, passwordEnv: TARE_TEST_PASSWORD}", s.server.Options.Socket))
	if err != nil {
		t.Fatal(err)
	}
	if errs := e.Check(context.Background()); len(errs) > 0 {
		t.Errorf("Check: %v", errs)
	}
}

// testGone: a server that goes away is seen to be gone.
func testGone(t *testing.T, server target.Server, s someone) {
	if err := server.Alive(); err != nil {
		t.Errorf("Alive: %v", err)
	}
	s.server.Stop(t)
	for deadline := time.Now().Add(5 * time.Minute); server.Alive() == nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Alive says that a stopped server answers")
		}
	}
}
