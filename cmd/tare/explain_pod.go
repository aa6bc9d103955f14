package main

// This file is `tare explain -n NAMESPACE POD`: the server in a pod of a cluster is watched.
// Its counters are read by SQL over a forwarded port. The kernel's are read by a probe pod on
// its node if --probe-namespace allows one, else those of the kubelet's cAdvisor.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/observe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/safe"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// podOptions say which pod, and what may be made to read its node.
type podOptions struct {
	at                    kubernetes.Where
	name, container       string
	port                  int
	probeNamespace, image string
}

func (o *podOptions) flags(c *cobra.Command) {
	whereFlags(c, &o.at)
	c.Flags().Lookup("namespace").Usage = "namespace of POD"
	c.Flags().StringVar(&o.container, "container", "", "with POD: container of the server (default the one with port 3306, or the only one)")
	c.Flags().StringVar(&o.probeNamespace, "probe-namespace", "", "with POD: namespace for a probe pod on its node (the capability probe of docs/kubernetes-rbac.yaml)")
	c.Flags().StringVar(&o.image, "image", "", "with --probe-namespace: image of tare (default none: tare's program is streamed into a pod of the server's image)")
}

// ofManifests is the command that makes an experiment of a server in a pod: of what the pod is made from, because a pod
// alone does not tell which volumes and configuration copies of it need.
func (o watchOptions) ofManifests() string {
	return asCalled("tare init --manifests FILE_OR_DIR -n ") + o.pod.at.Namespace
}

// measuring is the command that makes an experiment for a pod. Copies of one whose data are on no claim are refused: a server of
// tare's own from the same image has data for every trial.
func (o watchOptions) measuring(pod []byte, variables map[string]string) string {
	set, _ := manifest.Read([]manifest.Source{{Name: "pod", Text: pod}}, nil)
	dirs := manifest.DataDirs()
	if dir := variables["datadir"]; dir != "" {
		dirs = []string{dir}
	}
	for _, db := range set.Databases() {
		if db.Pod == nil || db.Server == nil || slices.ContainsFunc(dirs, func(dir string) bool { return onClaim(db, dir) }) {
			continue
		}
		return asCalled("tare init --kubernetes -n ") + o.pod.at.Namespace + " --database " + safe.ShellWord(db.Image.Text())
	}
	return o.ofManifests()
}

// onClaim tells whether the pod has a claim at a directory.
func onClaim(db *manifest.Database, dir string) bool {
	_, volume := db.Pod.Mount(db.Server, path.Clean(dir))
	return volume.Get("persistentVolumeClaim").Exists()
}

// named tells whether the argument is a pod: a flag of a cluster is given.
func (o *podOptions) named(c *cobra.Command) bool {
	return slices.ContainsFunc([]string{"namespace", "kubeconfig", "context", "probe-namespace"}, func(name string) bool { return c.Flags().Changed(name) })
}

// check refuses flags that mean nothing together.
func (o podOptions) check() error {
	switch {
	case o.at.Namespace == "":
		return errors.New("explain POD: no namespace; use -n NAMESPACE")
	case o.image != "" && o.probeNamespace == "":
		return errors.New("explain: --image needs --probe-namespace")
	}
	return nil
}

// watchPod opens the server of a pod. done ends what was opened.
func (o watchOptions) watchPod(ctx context.Context, running *atomic.Value) (s watchedServer, done func() error, err error) {
	if err := o.pod.check(); err != nil {
		return s, nil, usage{err}
	}
	if o.pod.probeNamespace != "" {
		running.Store(explainsWithProbes)
	}
	pod, err := kubernetes.FindPod(ctx, o.pod.at, strings.TrimPrefix(o.pod.name, "pod/"), o.pod.container)
	if errors.As(err, &target.Unavailable{}) {
		return s, nil, fmt.Errorf("explain: %w", err)
	}
	if err != nil {
		return s, nil, usage{fmt.Errorf("explain: %w", err)}
	}
	done = pod.Close
	defer func() {
		if err != nil {
			err = errors.Join(err, done())
		}
	}()
	port, err := pod.Connect(o.pod.port)
	if err != nil {
		return s, done, fmt.Errorf("explain: %w", err)
	}
	live := o.server
	live.address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	db, _, err := live.open()
	if err != nil {
		return s, done, usage{fmt.Errorf("explain: %w", err)}
	}
	done = func() error { return errors.Join(db.Close(), pod.Close()) }
	s = watchedServer{Server: observe.Server{DB: db, Root: os.DirFS("/"), Known: pod.Facts()}, name: pod.Name(), bounds: "cgroups of " + pod.Name(), writes: o.ofManifests(), down: pod.Down}
	asking, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	variables, err := mysqld.Variables(asking, db)
	if err != nil {
		return s, done, s.unanswered(ctx, err)
	}
	text, err := pod.Manifest()
	if err != nil {
		return s, done, err
	}
	if s.lint, err = lintPod(pod.Name(), text, variables); err != nil {
		return s, done, err
	}
	s.writes = o.measuring(text, variables)
	return s, done, o.readNode(ctx, &s, pod)
}

// readNode decides how the kernel's counters are read.
func (o watchOptions) readNode(ctx context.Context, s *watchedServer, pod *kubernetes.Live) error {
	if o.pod.probeNamespace == "" {
		s.Readings = pod.Counters
		s.Why = errors.New(record.ServerOnNodeLive.Say(pod.Node()))
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probePodWithin)
	defer cancel()
	var dataDir string
	if err := s.DB.QueryRowContext(ctx, "SELECT @@datadir").Scan(&dataDir); err != nil {
		return fmt.Errorf("explain %s: %w", pod.Name(), err)
	}
	dial, err := pod.Probe(ctx, o.pod.probeNamespace, o.pod.image, dataDir)
	if err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	s.Dial, s.node = dial, pod.Node()
	return nil
}

// probePodWithin is how long a probe pod may take until it runs: its image may have to be
// pulled.
const probePodWithin = 2 * time.Minute

// lintPod are lint's findings for the pod's resource, whose server has answered with its variables: where its data are,
// and whatever else the text of the resource need not tell. Those for options of the server are left out, which the watching
// has, but for those that compare an option with the memory limit: the watching knows that limit only where it may read the
// pod's cgroup.
func lintPod(name string, text []byte, variables map[string]string) ([]diagnose.Finding, error) {
	rules, err := lintRules(nil)
	if err != nil {
		return nil, err
	}
	set, problems := manifest.Read([]manifest.Source{{Name: name, Text: text}}, func(string) ([]byte, error) { return nil, os.ErrNotExist })
	if len(problems) > 0 {
		return nil, fmt.Errorf("read %s: %s", name, problems[0].Message)
	}
	set.Answered = variables
	result := diagnose.Lint(set, diagnose.Facts{}, rules)
	ofLimit := []string{"M-BP-01", "M-BP-02", "M-BP-04"}
	return slices.DeleteFunc(result.Findings, func(f diagnose.Finding) bool {
		return !f.Found() || strings.HasPrefix(f.Rule, "M-") && !slices.Contains(ofLimit, f.Rule)
	}), nil
}
