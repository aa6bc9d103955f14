package kubernetes

// start.sh with real servers: new data, and a start on the same data again.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target"
)

// asContainer runs start.sh as a container does: in the root file system $1 with what is
// written to it in memory (below $2, empty), the volume $3, the files of the Secret from $4,
// a network of its own and the server's user. $5 is for start.sh. It execs throughout, so the
// process is the server.
const asContainer = `set -eu
mount -t tmpfs tmpfs "$2"
mkdir "$2/upper" "$2/work" "$2/root"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
mount -t proc proc "$2/root/proc"
mount --rbind /dev "$2/root/dev"
mkdir -p "$2/root/etc/tare" "$2/root/mnt/tare"
mount --bind "$3" "$2/root/mnt/tare"
cp "$4"/* "$2/root/etc/tare"
chmod 0640 "$2"/root/etc/tare/*
chown -R 999:999 "$2/root/etc/tare"
exec chroot --userspec=999:999 --groups= "$2/root" sh /etc/tare/start.sh "$5"`

// startScriptServer is a server that start.sh starts, and its log.
type startScriptServer struct {
	cmd   *exec.Cmd
	log   bytes.Buffer // to be read once ended is closed
	ended chan struct{}
}

func startByScript(t *testing.T, root, volume, files, data string) *startScriptServer {
	t.Helper()
	s := &startScriptServer{ended: make(chan struct{})}
	s.cmd = exec.CommandContext(t.Context(), "unshare", "--mount", "--net", "--propagation", "private", "sh", "-c", asContainer, "sh",
		root, t.TempDir(), volume, files, data)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.cmd.Wait() // how it ended, its log says
		close(s.ended)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.ended
		if t.Failed() {
			t.Logf("start on %s data:\n%s", data, s.log.String())
		}
	})
	return s
}

// alive is nil while the server runs.
func (s *startScriptServer) alive() error {
	select {
	case <-s.ended:
		return errors.New("it ended")
	default:
		return nil
	}
}

// query waits until the server takes connections of tare's account, and asks it.
func (s *startScriptServer) query(t *testing.T, account mysqld.Address, statements ...string) (answer string) {
	t.Helper()
	account.Socket = filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "root", target.InsideRun, target.SocketFile)
	if err := mysqld.Ready(t.Context(), account, 5*time.Minute, s.alive); err != nil {
		t.Fatal(err)
	}
	db, err := mysqld.Open(account)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements[:len(statements)-1] {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.QueryRowContext(t.Context(), statements[len(statements)-1]).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func (s *startScriptServer) stop(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.ended
}

// inOneStart: after an event, the next server of the same start has what was written before it. That of another start
// begins with the copy.
func inOneStart(t *testing.T, s *server, root, volume, files string) {
	t.Helper()
	for i, c := range []struct{ start, want string }{{"one", "1"}, {"one", "2"}, {"two", "1"}} {
		if err := os.WriteFile(filepath.Join(files, "start"), []byte(c.start), 0o600); err != nil {
			t.Fatal(err)
		}
		next := startByScript(t, root, volume, files, "again")
		got := next.query(t, s.account, fmt.Sprintf("INSERT INTO %s.left_behind VALUES (%d)", loadSchema, i), fmt.Sprintf("SELECT COUNT(*) FROM %s.left_behind", loadSchema))
		if got != c.want {
			t.Errorf("pod %d of start %s has %s rows after its own, expected %s", i+1, c.start, got, c.want)
		}
		if err := next.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-next.ended
	}
}

// TestStartScript starts each product of this machine from its root file system.
func TestStartScript(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounts need root")
	}
	for _, d := range append(mysqldtest.Distributions(t), mysqldtest.NewerMariaDB(t)) {
		t.Run(d.Flavour+" in "+d.Root, func(t *testing.T) {
			s := &server{target: &Kubernetes{}, request: target.Request{Name: "t", Config: map[string]string{"innodb_buffer_pool_size": "64M"}}}
			if err := s.secrets(t.Context()); err != nil {
				t.Fatal(err)
			}
			files, volume := t.TempDir(), t.TempDir()
			for name, text := range map[string]string{"my.cnf": s.defaults, "accounts.sql": s.accounts, "start.sh": startScript} {
				if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, dir := range []string{volume, filepath.Join(volume, "run")} {
				if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chown(dir, int(serverUser), int(serverUser))); err != nil {
					t.Fatal(err)
				}
			}
			first := startByScript(t, d.Root, volume, files, "empty")
			got := first.query(t, s.account, fmt.Sprintf("CREATE TABLE %s.left_behind (id INT PRIMARY KEY)", loadSchema), "SELECT VERSION()")
			if version, _, _ := strings.Cut(d.Version, " "); !strings.HasPrefix(got, version) {
				t.Errorf("the server is %s, expected %s", got, version)
			}
			if got := first.query(t, s.account, "SELECT CURRENT_USER()"); got != clientUser+"@%" {
				t.Errorf("tare is logged in as %s", got)
			}
			first.stop(t)
			second := startByScript(t, d.Root, volume, files, "again")
			if got := second.query(t, s.account, "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'left_behind'"); got != "1" {
				t.Errorf("%s tables are left from the start before, expected 1", got)
			}
			second.stop(t)
			inOneStart(t, s, d.Root, volume, files)
		})
	}
}
