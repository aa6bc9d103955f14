// Processes of the lab: started detached, with a mark in their environment by
// which they are found again.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// mark is the variable that every process of a lab carries; its value is the
// lab's directory.
const mark = "TARE_LAB"

// daemon starts a process that outlives this program. It logs to run/logs.
func (l *lab) daemon(name string, argv []string, attributes *syscall.SysProcAttr) error {
	_, err := l.spawn(name, argv, attributes)
	return err
}

func (l *lab) spawn(name string, argv []string, attributes *syscall.SysProcAttr) (*os.Process, error) {
	log, err := l.log(name)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c := exec.Command(argv[0], argv[1:]...)
	c.Stdout, c.Stderr = log, log
	c.Dir = l.path("run")
	c.Env = append(os.Environ(), mark+"="+l.dir, "PATH="+l.path("bin")+":"+os.Getenv("PATH"))
	c.SysProcAttr = attributes
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return c.Process, nil
}

func (l *lab) log(name string) (*os.File, error) {
	file := l.path("run", "logs", name+".log")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, fmt.Errorf("make logs: %w", err)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make logs: %w", err)
	}
	return f, nil
}

// process is a running one of some lab.
type process struct {
	pid     int
	argv    []string
	command string // argv[0] without its directory
	dir     string // the lab's
	node    string // the node whose first process it is, or ""
}

// processes finds those that carry the mark, of any lab on this machine.
func processes() ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("look for processes: %w", err)
	}
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environment, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil { // it has ended meanwhile
			continue
		}
		for entry := range bytes.SplitSeq(environment, []byte{0}) {
			if dir, ok := strings.CutPrefix(string(entry), mark+"="); ok {
				found = append(found, describe(pid, dir))
				break
			}
		}
	}
	return found, nil
}

// describe reads what a process is. The first process of a node is this program
// with the verb node.
func describe(pid int, dir string) process {
	p := process{pid: pid, dir: dir}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil { // it has ended meanwhile
		return p
	}
	p.argv = strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	p.command = filepath.Base(p.argv[0])
	if p.command == "lab" && len(p.argv) == 3 && p.argv[1] == "node" {
		p.node = p.argv[2]
	}
	return p
}

// initOf finds the first process of a node.
func (l *lab) initOf(n node) (int, error) {
	all, err := processes()
	if err != nil {
		return 0, err
	}
	for _, p := range all {
		if p.dir == l.dir && p.node == n.name {
			return p.pid, nil
		}
	}
	return 0, fmt.Errorf("node %s does not run", n.name)
}

// enter is the command prefix that runs something inside a node.
func (l *lab) enter(n node) ([]string, error) {
	pid, err := l.initOf(n)
	if err != nil {
		return nil, err
	}
	return []string{"nsenter", "-t", strconv.Itoa(pid), "-m", "-n", "-u", "-p", "--"}, nil
}
