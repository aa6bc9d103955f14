package kubernetes

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// clientUser is the account of tare and of the load, loadSchema what they work in.
const (
	clientUser = "tare"
	loadSchema = "sbtest"
)

// server is the pod of one trial.
type server struct {
	target       *Kubernetes
	request      target.Request
	requirements node.Requirements
	defaults     string // my.cnf
	accounts     string
	start        string                     // names this start to the pods after an event; "" for none
	account      mysqld.Address             // user, password and schema; no place
	sha256       string                     // of the manifests, where there are some
	resource     *unstructured.Unstructured // of an operator, as it was when it was ready

	name       string      // of the pod
	container  string      // of the server in it
	serverPort int         // that the server listens on
	pod        *corev1.Pod // as it was when its container ran
	at         endpoint    // where the load connects, unless it is in the pod
	forward    *forward
	probes     *forward // to the pod that reads beside the server; nil for none

	mu    sync.Mutex
	asked time.Time // when the pod was last looked at
	ended error
	gone  bool
	// restarts is how often the container had been started again when the pod was taken, and
	// then by Restart.
	restarts int32
	// down: an event has ended the server, and its next container does not run yet. uid is that of the pod which an
	// event has replaced the first one by; again: the container is not the first.
	down, again bool
	uid         types.UID
	earlier     bool // the container has been started again since its end, which the log of the one before has
}

// secrets makes the server's files and a password of this start's own.
func (s *server) secrets(context.Context) (err error) {
	password, err := randomPassword()
	if err != nil {
		return err
	}
	s.account = mysqld.Address{User: clientUser, Password: password, Schema: loadSchema}
	if s.target.settings.disturbed() {
		if s.start, err = randomPassword(); err != nil {
			return err
		}
	}
	s.accounts = fmt.Sprintf("CREATE DATABASE IF NOT EXISTS `"+loadSchema+"`;\nCREATE USER IF NOT EXISTS '%[1]s'@'%%';\nALTER USER '%[1]s'@'%%' IDENTIFIED BY '%[2]s';\nGRANT ALL PRIVILEGES ON *.* TO '%[1]s'@'%%';\n", clientUser, s.account.Password)
	o := s.request.Options(target.InsideData, target.InsideRun, target.InsideTmp)
	o.DefaultsFile, o.Port, o.Bind = secretDir+"/my.cnf", serverPort, "*"
	// The image is the cluster's to have: which product it is, start.sh sees, and an option
	// that the server does not know ends it. What tare sets itself, both products take.
	s.defaults, err = mysqld.Defaults(mysqld.Distribution{Flavour: mysqld.MySQL}, o)
	return err
}

// randomPassword is one of 128 random bits.
func randomPassword() (string, error) {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("make password: %w", err)
	}
	return hex.EncodeToString(random[:]), nil
}

// apply makes the arm's objects, what is referred to before what refers to it.
func (s *server) apply(ctx context.Context) error {
	c, id := s.target.cluster, s.target.id
	most, err := s.target.mostCPU(ctx)
	if err != nil {
		return err
	}
	s.requirements = s.target.settings.requirements(most)
	if err := c.apply(ctx, secrets, id, s.secret()); err != nil {
		return err
	}
	switch s.target.settings.Volume {
	case hostPathVolume:
		err = s.target.markHostPath(ctx)
	case claimVolume:
		err = c.apply(ctx, claims, id, s.claim())
	}
	if err != nil {
		return err
	}
	if err := c.apply(ctx, services, id, s.service()); err != nil {
		return err
	}
	return c.apply(ctx, statefulSets, id, s.statefulSet())
}

// podName is the StatefulSet's first, or the one that manifests made.
func (s *server) podName() string { return s.name }

// address finds where the load is to connect.
func (s *server) address(ctx context.Context) error {
	if name := s.target.settings.Interface; name != "" {
		pod, err := get[corev1.Pod](ctx, s.target.cluster, pods, s.podName()) // Multus has written it before the pod runs
		if err == nil {
			s.at = endpoint{kind: "interface " + name, port: s.serverPort}
			s.at.host, err = interfaceAddress(pod, name)
		}
		return err
	}
	v, err := get[corev1.Service](ctx, s.target.cluster, services, s.target.id)
	if err != nil {
		return err
	}
	s.at, err = s.exposed(ctx, v, v.Spec.Ports[0])
	return err
}

// reach opens tare's own way to the server.
func (s *server) reach(context.Context) (err error) {
	s.forward, err = forwardTo(s.target.cluster, s.podName(), s.serverPort)
	return err
}

// Address is tare's own way, through the API server: it needs no route to the
// pods and is never part of a measurement.
func (s *server) Address() mysqld.Address {
	a := s.account
	a.Host, a.Port = "127.0.0.1", s.forward.port
	return a
}

// Client is the way of the load.
func (s *server) Client() target.Client {
	a := s.account
	switch s.target.settings.Client {
	case socketClient:
		a.Socket = path.Join(target.InsideRun, target.SocketFile)
	case samePodClient:
		a.Host, a.Port = "127.0.0.1", s.serverPort
	default:
		a.Host, a.Port = s.at.host, s.at.port
	}
	return target.Client{Address: a}
}

// Exec runs commands on the client's side only.
func (s *server) Exec(ctx context.Context, side target.Side, c target.Command) error {
	if side == target.ServerSide {
		return fmt.Errorf("run %s beside the server: tare runs nothing but the server in its pod", c.Path)
	}
	return target.RunHere(ctx, c.Here(ctx, s.request.Name))
}

// aliveFor is how long an answer of the API server counts.
const aliveFor = time.Second

// Alive looks at the pod. An API server that does not answer says nothing of the
// pod: it is then as it was.
func (s *server) Alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return errors.New("the server has been stopped")
	}
	if s.down { // by an event
		return nil
	}
	if s.ended != nil || time.Since(s.asked) < aliveFor {
		return s.ended
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	pod, err := get[corev1.Pod](ctx, s.target.cluster, pods, s.podName())
	s.asked = time.Now()
	switch {
	case apierrors.IsNotFound(err):
		s.ended = errors.New(record.PodGone.Say(s.podName()))
	case err == nil && pod.UID != cmp.Or(s.uid, s.pod.UID):
		s.ended = errors.New(record.PodReplaced.Say(s.podName()))
	case err == nil:
		asking, done := context.WithTimeout(context.Background(), 5*time.Second) // of its events and log, after the pod itself
		defer done()
		s.ended = s.died(asking, pod)
	}
	return s.ended
}

// expectEnd says that an event ends the server: it is not lost.
func (s *server) expectEnd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down, s.again = true, true
}

// notEnded says that the event failed.
func (s *server) notEnded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down, s.again = false, false
}

// back takes the pod whose container runs after an event for the server's.
func (s *server) back(pod *corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		s.down, s.uid, s.restarts, s.asked = false, pod.UID, restartsOf(pod, s.container), time.Now()
	}
}

// restartsOf is how often a container of the pod has been started again.
func restartsOf(pod *corev1.Pod, container string) int32 {
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == container {
			return c.RestartCount
		}
	}
	return 0
}

// death is how the server's container ended, nil while it runs, after so many
// restarts that are known.
func death(pod *corev1.Pod, container string, restarts int32) error {
	if c, t := lastEnd(pod, container, restarts); t != nil {
		return ended(pod, c, t)
	}
	if pod.Status.Phase == corev1.PodFailed {
		return errors.New(record.PodFailed.Say(pod.Status.Reason + " " + pod.Status.Message))
	}
	return nil
}

// oomKilled is the reason that a runtime gives where the kernel killed a process of the container for memory.
const oomKilled = "OOMKilled"

// ended says how a container ended, and where it reached its memory limit that it did.
func ended(pod *corev1.Pod, c corev1.ContainerStatus, t *corev1.ContainerStateTerminated) error {
	again := fmt.Sprint(c.RestartCount)
	if t.Reason == oomKilled {
		how := fmt.Sprintf("%s, exit status %d", oomKilled, t.ExitCode)
		if limit := memoryLimitOf(pod, c.Name); limit > 0 {
			return record.WithAdvice.Error(target.ErrKilled, record.KilledForMemory.Say(fmt.Sprint(limit>>20), how), record.AdviseMemory.Say())
		}
		return record.KilledNoLimit.Error(target.ErrKilled, how)
	}
	if t.Signal != 0 {
		return errors.New(record.ContainerSignal.Say(t.Reason, fmt.Sprint(t.Signal), again))
	}
	return errors.New(record.ContainerExited.Say(t.Reason, fmt.Sprint(t.ExitCode), again))
}

// memoryLimitOf is the memory limit of a container of a pod in bytes, the pod's where it has none of its own; 0 for none.
func memoryLimitOf(pod *corev1.Pod, container string) int64 {
	for _, c := range pod.Spec.Containers {
		if limit := c.Resources.Limits.Memory(); c.Name == container && limit.Value() > 0 {
			return limit.Value()
		}
	}
	if r := pod.Spec.Resources; r != nil {
		return r.Limits.Memory().Value()
	}
	return 0
}

// Stop ends the pod as a kubelet does, and leaves the volume to Release.
func (s *server) Stop(ctx context.Context) error {
	for _, f := range []*forward{s.forward, s.probes} {
		if f != nil {
			f.close()
		}
	}
	s.mu.Lock()
	done := s.gone
	s.gone = true
	s.mu.Unlock()
	if done {
		return nil
	}
	if ctx.Err() != nil { // what has no time is done all the same
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
	}
	s.copyLog(ctx)
	probes := make(chan error, 1) // beside the server's, which takes longer
	go func() { probes <- s.target.removeProbes(ctx, s.request.Name) }()
	err := s.target.cluster.removeAll(ctx, s.target.all(), s.target.selector()+","+instanceLabel+"="+s.request.Name)
	err = errors.Join(err, <-probes)
	if err != nil {
		s.mu.Lock()
		s.gone = false // so that it can be tried again
		s.mu.Unlock()
		return fmt.Errorf("stop pod: %w", err)
	}
	s.target.cluster.holds.ends()
	return nil
}
