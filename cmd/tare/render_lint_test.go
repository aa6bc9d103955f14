package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
)

// trueOfExamples are the errors and warnings that lint has of what the examples render, each with why it is true. An
// experiment may be bad on purpose: it measures what that costs. "*" is every arm in a pod.
var trueOfExamples = []struct{ example, arm, rule, why string }{
	{"kubernetes-qos", "besteffort", "K-QOS-01", "the arm measures that class"},
	{"kubernetes-qos", "besteffort-beside", "K-QOS-01", "the arm measures that class"},
	{"kubernetes-qos", "guaranteed", "K-CFS-02", "the quota of 900m is what the arm measures"},
	{"kubernetes-qos", "guaranteed-beside", "K-CFS-02", "the quota of 900m is what the arm measures"},
	{"kubernetes-qos", "guaranteed", "M-BP-02", "8 threads fit, and 151 connections, which the server allows, do not"},
	{"kubernetes-qos", "guaranteed-beside", "M-BP-02", "8 threads fit, and 151 connections, which the server allows, do not"},
	{"kubernetes-qos", "exclusive", "M-BP-02", "8 threads fit, and 151 connections, which the server allows, do not"},
	{"kubernetes-qos", "exclusive-beside", "M-BP-02", "8 threads fit, and 151 connections, which the server allows, do not"},
	{"kubernetes-layers", "*", "M-REDO-01", "all arms have the default of the image, and the load only reads"},
	{"kubernetes-networks", "*", "M-REDO-01", "all arms have the default of the image, and the load only reads"},
	{"kubernetes-qos", "bare", "M-REDO-01", "all arms have the default of the image, and the load only reads"},
	{"kubernetes-qos", "*", "M-REDO-01", "all arms have the default of the image, and the load only reads"},
	{"second-study", "*", "M-REDO-01", "all arms have the default, which the operator leaves"},
	{"second-study", "*", "M-BP-02", "the operator sets max_connections from the limit: 2730 of them do not fit beside 24G"},
	{"second-study", "*", "M-GAL-02", "the image has two applier threads"},
	{"third-study", "oracle", "K-QOS-03", "the operator's sidecar has no resources"},
	{"third-study", "oracle-defaults", "K-QOS-03", "the operator's sidecar has no resources"},
	{"third-study", "oracle-defaults", "M-BP-01", "the arm measures the operator's defaults"},
	{"third-study", "pxc", "M-BP-02", "the operator sets max_connections from the limit: 1365 of them do not fit beside 12G"},
	{"third-study", "pxc", "M-GAL-02", "the image has two applier threads"},
	{"third-study", "pxc", "O-PXC-03", "tare sets the resources of the servers; the operator leaves its proxy without"},
	{"third-study", "kubeblocks", "O-KB-01", "KubeBlocks' further containers have no resources"},
	{"failover-pod", "*", "K-QOS-01", "the example's pods have no requests"},
	{"failover-pod", "*", "M-REDO-01", "the example leaves the redo log at its default"},
	{"third-study", "pod", "K-OPS-05", "tare's pods have 60 s to end, and 12 GiB can take longer"},
}

// TestRendersOfExamplesHaveNoFalseFinding lints what `tare render` makes of every example. Each error and warning is
// in the table with the reason why it is true, and each line of the table is found.
func TestRendersOfExamplesHaveNoFalseFinding(t *testing.T) {
	names, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(names) < 15 {
		t.Fatal(names, err)
	}
	rules, err := lintRules(nil)
	if err != nil {
		t.Fatal(err)
	}
	found, want, servers := map[string]string{}, map[string]string{}, 0
	for _, name := range names {
		e, err := readSpec(name, specChange{})
		if err != nil {
			t.Fatal(err)
		}
		example := strings.TrimSuffix(filepath.Base(name), ".yaml")
		for _, arm := range e.Arms.Names() {
			text, err := renderArms(e, arm)
			if err != nil {
				t.Fatal(err)
			}
			set, problems := manifest.Read([]manifest.Source{{Name: arm + ".yaml", Text: []byte(text)}}, nil)
			if len(problems) > 0 {
				t.Errorf("%s: %s", example, problems[0])
			}
			r := diagnose.Settle(set, diagnose.Facts{}, rules, diagnose.Lint(set, diagnose.Facts{}, rules))
			servers += len(r.Databases)
			if len(r.Unread) > 0 {
				t.Errorf("%s: %s of arm %s is not read", example, r.Unread[0].Title, arm)
			}
			for _, f := range r.Findings {
				if f.Found() && f.Severity != diagnose.Note {
					found[example+" "+arm+" "+f.Rule] = f.Says
				}
			}
			for _, row := range trueOfExamples {
				if row.example == example && (row.arm == arm || row.arm == "*" && arm != "bare") {
					want[example+" "+arm+" "+row.rule] = cmp.Or(row.why, "no reason")
				}
			}
		}
	}
	for key, says := range found {
		if want[key] == "" {
			t.Errorf("%s is not in the table: %s", key, says)
		}
	}
	for key := range want {
		if found[key] == "" {
			t.Errorf("%s is in the table and was not found", key)
		}
	}
	if servers < 30 {
		t.Errorf("only %d servers were read", servers)
	}
	var without []string
	for _, row := range trueOfExamples {
		if row.why == "" || !slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "/"+row.example+".yaml") }) {
			without = append(without, row.example+" "+row.rule)
		}
	}
	if diff := gocmp.Diff([]string(nil), without); diff != "" {
		t.Errorf("rows without a reason or an example: %s", diff)
	}
}
