package main

// `tare init --operator KIND/NAME`: an experiment of a database that an operator runs, on resources of tare's own.

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

//go:embed operator.yaml.tmpl
var operatorExperiment string

// runningOperator is what the template of an operator's experiment needs.
type runningOperator struct {
	Command, Name, Kind, Operator, Resource string
	Namespace, Kubeconfig, Context          string
	LeftOut                                 []string
	CPU, Memory, Why                        string // of the Guaranteed arm
}

// writeOfOperator reads the resource, and writes it and the experiment.
func writeOfOperator(ctx context.Context, t *terminal, file string, o initOptions, at kubernetes.Where) error {
	d, err := kubernetes.RunningResource(ctx, at, o.operator)
	if errors.As(err, &target.Unavailable{}) {
		return fmt.Errorf("init: --operator: %w", err)
	}
	if err != nil {
		return usage{fmt.Errorf("init: --operator: %w", err)}
	}
	base := strings.TrimSuffix(file, filepath.Ext(file))
	r := runningOperator{
		Command: "tare init --operator " + o.operator, Name: experimentName(file), Kind: d.Kind, Operator: d.Name, Resource: filepath.Base(base) + "-resource.yaml",
		Namespace: d.Namespace, LeftOut: d.LeftOut, Kubeconfig: quotedOr(at.Kubeconfig), Context: quotedOr(at.Context),
		CPU: assumedCPU, Memory: assumedMemory, Why: "The resource has no amounts: CPU and memory are assumed.",
	}
	set, _ := manifest.Read([]manifest.Source{{Name: r.Resource, Text: d.Text}}, nil)
	for _, db := range set.Databases() {
		if db.Server == nil {
			continue
		}
		cpu, memory := cmp.Or(db.Server.Limit("cpu").Value, db.Server.Request("cpu").Value), cmp.Or(db.Server.Limit("memory").Value, db.Server.Request("memory").Value)
		if cpu > 0 && memory > 0 {
			r.CPU, r.Memory, r.Why = manifest.CPUs(cpu), manifest.Size(memory), "Requests equal to limits in the server's container; `tare check` says whether the operator's other containers let the pod be Guaranteed."
		}
	}
	if err := (withFile{file, base + "-resource.yaml", d.Text}).write(operatorExperiment, r, o.force); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s written: %s as it is in namespace %s, for resources of tare's own, in %s-resource.yaml.\n", file, o.operator, d.Namespace, base)
	if len(d.LeftOut) > 0 {
		fmt.Fprintf(t.notes(), "Left out, because it would lead out of tare's database, to the buckets of backups, other servers or names in DNS: %s.\n", strings.Join(d.LeftOut, ", "))
	}
	fmt.Fprint(t.notes(), asCalled(fmt.Sprintf("Arm equal-resources: %[2]s\nNext:\n  tare check --offline %[1]s\n  tare check %[1]s\n  tare run %[1]s\n", file, r.Why)))
	return nil
}
