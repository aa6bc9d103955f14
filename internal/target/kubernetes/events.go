package kubernetes

// Events of an arm whose server tare makes: what can happen to it, and what an arm has to be like for that.

import (
	"fmt"

	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

func (s Settings) events() event.Planned { return event.Of(s.Events, nil) }

// deletes: the pod is deleted by an event.
func (s Settings) deletes() bool { return len(s.events().With(event.Delete)) > 0 }

// signals: an event sends a signal to the server's process.
func (s Settings) signals() bool { return len(s.startsAgain())+len(s.events().With(event.Pause)) > 0 }

// startsAgain are the fields of the events after which the kubelet starts the container in the same pod.
func (s Settings) startsAgain() []string {
	return append(s.events().With(event.Kill), s.events().With(event.Restart)...)
}

// disturbed: something happens to the pod, which tare then watches.
func (s Settings) disturbed() bool { return s.signals() || s.deletes() }

// eventContradictions are those of an arm with events.
func (s Settings) eventContradictions() []error {
	if !s.events().Any() {
		return nil
	}
	switch {
	case s.isOperator():
		return []error{target.Wrong("events", "the pods of a database that an operator runs are the operator's; leave events out, or write image: mysql:8.4 for a server that tare makes")}
	case s.isOwn():
		return []error{target.Wrong("events", "the pods of your manifests are not tare's to end; leave events out, or write image: mysql:8.4 for a server that tare makes")}
	}
	errs := s.events().WrongInPod()
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	if s.Bare {
		wrong("bare", "the server is in no container, which a kubelet would start again; leave bare or events out")
	}
	for _, f := range []settingField{{"client", s.Client != ""}, {"clients", s.Clients > 0}} {
		if f.set {
			wrong(f.name, "what the clients see of an event is counted by tare itself; leave %s out, and have tare run --in-cluster put it into a pod of the cluster", f.name)
		}
	}
	if s.ProbeNamespace != "" && len(s.startsAgain())+len(s.events().With(event.Delete)) > 0 {
		wrong("probeNamespace", "the pod there reads the counters of a container that ends with the event; leave probeNamespace out")
	}
	for _, field := range s.startsAgain() {
		if s.ephemeral() {
			wrong(field, "every trial starts the container again before its load, because %s is gone with its pod, and a kubelet waits 10 s before it starts a container for the second time; write volume: claim", s.Volume)
		}
	}
	for _, field := range s.events().With(event.Delete) {
		s.wrongDelete(field, wrong)
	}
	return errs
}

// wrongDelete is about an arm whose pod is deleted.
func (s Settings) wrongDelete(field string, wrong func(field, format string, args ...any)) {
	switch {
	case s.ephemeral():
		wrong(field, "the data on %s are gone with the pod; write volume: claim, or kill: server", s.Volume)
	case s.Address == podAddress:
		wrong(field, "the next pod has another address; write address: service, or leave address out")
	case s.Interface != "":
		wrong(field, "the next pod has another address on the interface %s; leave interface out, or write kill: server", s.Interface)
	case s.Neighbour != nil && s.Node == "":
		wrong(field, "the next pod may be on another node than the neighbour; write node: NAME, or leave neighbour out")
	}
}

// eventNotes are what the user should know of the events before the run.
func (k *Kubernetes) eventNotes() []string {
	if again := k.settings.startsAgain(); len(again) > 1 && !k.settings.deletes() {
		return []string{fmt.Sprintf("a kubelet waits 10 s before it starts a container for the second time within ten minutes, and longer each further time: the times without service of the events after the first of %d have that in them", len(again))}
	}
	return nil
}
