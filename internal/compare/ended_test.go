package compare

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestEverySentenceIsFoundAgain: each sentence that tare records is found by its text, with its
// arguments, and no other sentence is taken for it.
func TestEverySentenceIsFoundAgain(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range record.Sentences() {
		if seen[s.Code] || seen[string(s.Sentence)] {
			t.Errorf("%s is there twice", s.Code)
		}
		seen[s.Code], seen[string(s.Sentence)] = true, true
		want := reason("ended-" + s.Code)
		var values []string
		for i, slot := range s.Slots() {
			value := valueFor(t, slot, i)
			values, want = append(values, value), want.name(slot, value)
		}
		text := s.Say(values...)
		if got := Ended(text); got == nil || got.String() != want.String() {
			t.Errorf("%q is found as %v, want %v", text, got, want)
		}
	}
}

// valueFor is an argument that no other sentence is in.
func valueFor(t *testing.T, slot string, i int) string {
	t.Helper()
	for _, value := range []string{"x" + strings.Repeat("y", i), []string{"3", "1.5", "1m0s"}[i%3], "3#7", "/x"} {
		if regexp.MustCompile("^" + valueOf(slot) + "$").MatchString(value) {
			return value
		}
	}
	t.Fatalf("no value for %s", slot)
	return ""
}

// TestEnded: sentences within sentences are found, and what is none of tare's is left alone.
func TestEnded(t *testing.T) {
	deep := strings.Repeat("start: ", deepestReason+1) + "x"
	for text, want := range map[string]string{
		"start: server died before it was ready: mysqld has ended: exit status 1; its last lines:\nboom\nbang": "ended-start why=[ended-died why=[ended-exited-log how=exit status 1 log=boom\nbang]]",
		"load: verify the data: 3 rows differ": "ended-load why=[ended-verify why=3 rows differ]",
		"line 7: damaged: cut off":             "ended-stream-line n=7 why=[ended-line-cut]",
		"line 7: unexpected end of JSON input": "ended-stream-line n=7 why=unexpected end of JSON input",
		"the kernel ended mysqld because its container reached its memory limit of 512 MiB (exit status 137)": "ended-killed-for-memory how=exit status 137 limit=512",
		"the schema s was lost: a, b, c and 2 more were dropped or created again during the load":             "ended-more-tables-lost n=2 schema=s tables=a, b, c",
		"the server did not answer within long":                                                               "",
		"no reply within 60s":                                                                                 "",
		"disk full":                                                                                           "",
		"":                                                                                                    "",
		deep:                                                                                                  strings.Repeat("ended-start why=[", deepestReason-1) + "ended-start why=start: x" + strings.Repeat("]", deepestReason-1),
		"start: " + strings.Repeat("x", longestReason): "",
	} {
		got := ""
		if r := Ended(text); r != nil {
			got = r.String()
		}
		if got != want {
			t.Errorf("%.200q is %q, want %q", text, got, want)
		}
	}
}

// TestEndedOfMembers: what happened to members, and how they compare with a ledger.
func TestEndedOfMembers(t *testing.T) {
	ended := map[string]string{
		"no secondary is running":                                                                         "ended-no-secondary",
		"load: event 2: signal member 3: its process has ended":                                           "ended-load why=[ended-event n=2 why=[ended-signal-ended n=3]]",
		"member 1 fails as the primary, and no other member can be promoted: 20s have passed":             "ended-none-promotable n=1 why=[ended-time-passed time=20s]",
		"member 1 fails as the primary, and the group has elected no other primary: the load ended first": "ended-none-elected n=1 why=[ended-load-ended]",
		"the load ended first: promote member 2: apply the relay log: it is not applied after 1m0s":       "ended-load-ended-while why=[ended-promote-member n=2 why=[ended-apply-relay-log why=[ended-not-applied time=1m0s]]]",
		"stop receiving on member 2: EOF\nhave member 2 receive again: Error 1: no":                       "ended-lines first=[ended-stop-receiving n=2 text=EOF] rest=[ended-receive-again n=2 text=Error 1: no]",
		"promote member 2: EOF\nhave member 2 receive again: EOF\nhave member 3 receive again: EOF":       "ended-lines first=[ended-promote-member n=2 why=EOF] rest=[ended-lines first=[ended-receive-again n=2 text=EOF] rest=[ended-receive-again n=3 text=EOF]]",
		"it does not answer: ask member 2: EOF":                                                           "ended-left-silent why=[ended-ask-member n=2 text=EOF]",
		"it is not a member of the database any more: its state is RECOVERING":                            "ended-left-in-state state=RECOVERING",
		"2 accounts, such as client 3: 5 and 6":                                                           "ended-accounts-differ n=2 account=[ended-account-differs balance=5 client=3 entries=6]",
		"1 accounts, such as client 3: none and 6":                                                        "ended-accounts-differ n=1 account=[ended-account-of-nobody client=3 entries=6]",
		"never sent: 3#5":      "ended-entry-unsent entry=3#5",
		"lost: the connection": "",
		"start: wait for member 2: member 2: mysqld has ended: exit status 1":                         "ended-start why=[ended-wait-member n=2 why=[ended-member n=2 why=[ended-exited how=exit status 1]]]",
		"start: join members of mode async: member 2: its io thread says: Error connecting to source": "ended-start why=[ended-join-members mode=async why=[ended-member n=2 why=[ended-thread-says text=Error connecting to source thread=io]]]",
	}
	check(t, ended)
}

// TestEndedStarts: why a server was not started, on this machine or in a cluster.
func TestEndedStarts(t *testing.T) {
	check(t, map[string]string{
		"start: start mysqld: initialise data directory: exit status 1\n[ERROR] a\n[ERROR] b":      "ended-start why=[ended-start-process why=[ended-init-directory how=exit status 1 log=[ERROR] a\n[ERROR] b]]",
		"start: start mysqld: start /usr/sbin/mysqld: permission denied":                           "ended-start why=[ended-start-process why=[ended-start-program path=/usr/sbin/mysqld text=permission denied]]",
		"start: start container: run container: the runtime ended\nexit status 1\nrunc: no cgroup": "ended-start why=[ended-start-container why=[ended-run-container-log log=exit status 1\nrunc: no cgroup why=[ended-runtime-ended]]]",
		"start: start container: make volume: copy data: exit status 1: cp: no space left":         "ended-start why=[ended-start-container why=[ended-make-volume why=[ended-copy-data why=exit status 1: cp: no space left]]]",
		"start: no connection to db:3306 can be made: TLS: it offers none":                         "ended-start why=[ended-no-connection place=db:3306 why=[ended-no-tls]]",
		"start: start pod: pod a-0 does not start: ErrImagePull: not found (image mysql:9); next: check the image's name and tag, and that the nodes reach its registry; a private registry requires an imagePullSecret in the namespace's default ServiceAccount": "ended-start why=[ended-start-pod why=[ended-pod-stuck pod=a-0 why=[ended-with-advice " +
			"first=[ended-container-waits image=mysql:9 reason=ErrImagePull text=not found] next=[ended-advise-image]]]]",
		"start: start pod: pod a-0 was not scheduled within 1m0s: 0/2 nodes are available: 2 Insufficient cpu.; next: reduce the requests, or use a node with more free resources; requested: 2 CPU and 4Gi memory; " +
			"n1: it is cordoned; kubectl uncordon n1; n2: allocatable 4000m CPU and 8Gi memory, requested by pods 400m CPU and 1Gi memory, largest pod that fits 3600m CPU and 7Gi memory": "ended-start why=[ended-start-pod why=[ended-unscheduled-nodes cpu=2 memory=4Gi pod=a-0 time=1m0s " +
			"nodes=[ended-of-node node=n1 why=[ended-cordoned node=n1] ended-of-node node=n2 why=[ended-node-free cpu=4000m largest=7Gi memory=8Gi most=3600m taken=400m used=1Gi]] " +
			"why=[ended-with-advice first=0/2 nodes are available: 2 Insufficient cpu. next=[ended-advise-resources]]]]",
		"start pod: compute cpu: max: no node has free resources; there is no such node": "ended-start-pod why=[ended-no-free-node nodes=[ended-no-such-node]]",
		"compute cpu: max: no node has free resources; n1: it sleeps":                    "ended-no-free-node nodes=n1: it sleeps",
		"start pod: Database db is not ready within 30m0s: its status is empty; check that the operator runs and watches namespace x; the namespace's warnings are: it has no warning events": "ended-start-pod why=[ended-operator-late kind=Database name=db time=30m0s " +
			"warnings=[ended-no-warnings] why=[ended-status-unset namespace=x]]",
		"start pod: Cluster db: the cluster has no kind Cluster in x/v1; install its operator":                                "ended-start-pod why=[ended-no-kind group=x/v1 kind=Cluster name=db type=Cluster]",
		"start pod: read the server's password: Secret s has no key \"k\"; write server: {passwordKey: KEY}":                  "ended-start-pod why=[ended-read-password why=[ended-no-key-set key=\"k\" secret=s setting=server: {passwordKey: KEY}]]",
		"start pod: apply secrets a in namespace n: forbidden; docs/kubernetes-rbac.yaml has the permissions that tare needs": "ended-start-pod why=[ended-apply-object kind=secrets name=a namespace=n why=[ended-no-permission first=forbidden]]",
	})
}

func check(t *testing.T, ended map[string]string) {
	t.Helper()
	for text, want := range ended {
		got := ""
		if r := Ended(text); r != nil {
			got = r.String()
		}
		if got != want {
			t.Errorf("%q is\n%q, want\n%q", text, got, want)
		}
	}
}

// TestEndedIsBounded: a record with many lines, or with sentences within sentences in each, does
// not take the time of a report.
func TestEndedIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("start: a\n", longestReason/10), strings.Repeat("start: ", 2000) + "\nx", strings.Repeat("start: a\n", mostLines-2) + "b",
		"compute cpu: max: no node has free resources; " + strings.Repeat("n: it is cordoned; kubectl uncordon n; ", 300) + "n: x",
	} {
		if r := Ended(text); r == nil {
			t.Errorf("%.40q is no sentence", text)
		}
	}
}
