package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/diagnose"
)

// TestNothingToMeasure: where --experiment writes no file, the user is told whether nothing was found or nothing of it can
// be measured.
func TestNothingToMeasure(t *testing.T) {
	for want, p := range map[string]diagnose.Proposal{
		"no cause is present, so there is no change to measure":                                            {},
		"what is present has no change that an arm of an experiment can have: C-NET-01 (enable it); M-CPU": {Unmeasured: []diagnose.LeftOut{{Finding: diagnose.Finding{Rule: "C-NET-01", Fix: "enable it"}}, {Finding: diagnose.Finding{Rule: "M-CPU"}}}},
	} {
		if got := nothingToMeasure(p); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestFlagsOfARunningServer: --experiment beside a run, a rule or a term is refused, and the verb for a run is named.
func TestFlagsOfARunningServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "try.yaml")
	for argument, want := range map[string]string{t.TempDir(): "tare remedy", "C-CPU-01": "write HOST:PORT", "margin": "write HOST:PORT"} {
		var out, errs bytes.Buffer
		code := run([]string{"explain", argument, "--experiment", file}, &terminal{in: strings.NewReader(""), out: &out, err: &errs})
		if code != exitInvalid || !strings.Contains(errs.String(), "--experiment is for a running server") || !strings.Contains(errs.String(), want) || out.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s%s", argument, code, out.String(), errs.String())
		}
	}
}

// TestExperimentOfAPod: --experiment for a server in a pod is refused before the cluster is asked, with the command that
// makes one of its manifests.
func TestExperimentOfAPod(t *testing.T) {
	file := filepath.Join(t.TempDir(), "try.yaml")
	for _, flag := range [][]string{{"--experiment", file}, {"--spec", file}, {"--database", "mysql:8.4"}} {
		var out, errs bytes.Buffer
		code := run(append([]string{"explain", "-n", "shop", "db-0", "--kubeconfig", filepath.Join(t.TempDir(), "none")}, flag...), &terminal{in: strings.NewReader(""), out: &out, err: &errs})
		for _, want := range []string{"are for a server outside a cluster", "tare init --manifests FILE_OR_DIR -n shop"} {
			if code != exitInvalid || !strings.Contains(errs.String(), want) || out.Len() > 0 {
				t.Errorf("%v: exit code %d\n%s%s", flag, code, out.String(), errs.String())
			}
		}
	}
}

// TestHostThatIsAPod: a host that DNS does not resolve may be a pod, and the command that watches one is named.
func TestHostThatIsAPod(t *testing.T) {
	unresolved := fmt.Errorf("read server version: %w", &net.DNSError{Err: "no such host", Name: "shop-db-0", IsNotFound: true})
	for address, want := range map[string]string{
		"shop-db-0": "tare explain -n NAMESPACE shop-db-0", "pod/shop-db-0": "tare explain -n NAMESPACE shop-db-0",
		"shop-db-0:3306": "tare explain -n NAMESPACE POD", "db.shop.svc": "tare explain -n NAMESPACE POD",
	} {
		var h hinted
		if err := (watchedServer{name: address}).unanswered(t.Context(), unresolved); !errors.As(err, &h) || !strings.HasSuffix(h.hint, want) {
			t.Errorf("%s: %v, want %s", address, h.hint, want)
		}
	}
	crashed := func(context.Context) error { return errors.New("container mysqld is in CrashLoopBackOff") }
	if err := (watchedServer{name: "pod shop/db-0", down: crashed}).unanswered(t.Context(), unresolved); err.Error() != "explain: container mysqld is in CrashLoopBackOff" {
		t.Error(err)
	}
}
