package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/runner"
)

func renderVerb(t *terminal) *cobra.Command {
	var only string
	var rbac, inside bool
	var change specChange
	c := &cobra.Command{
		Use:   "render SPEC",
		Short: "Print the Kubernetes objects that an experiment would create",
		Long: "Print the Kubernetes objects that each arm would create, as YAML documents. No cluster is contacted.\n\n" +
			"Names, passwords and labels of a trial are placeholders. Values that only a cluster knows, such as the\n" +
			"amount of `cpu: max`, are comments.\n\n" +
			"--rbac prints the permissions instead that the experiment needs: a Role and its binding for every namespace,\n" +
			"and a ClusterRole only if an arm requires one. They are for the service account tare; the last example\n" +
			"binds the Role to another account (--user=NAME for a user). Whoever grants a Role must hold its rules: the\n" +
			"ClusterRole admin, bound in the namespace, has most of them. With --in-cluster the Role has what starting the\n" +
			"experiment with `tare run --in-cluster` needs too.",
		Example:           "  tare render experiment.yaml\n  tare render experiment.yaml --arm guaranteed\n  tare render --rbac experiment.yaml | kubectl apply -f -\n  kubectl create rolebinding tare-ci -n tare --role=tare-EXPERIMENT --serviceaccount=NAMESPACE:NAME",
		ValidArgsFunction: specFile,
		Args:              args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, a []string) error {
			if inside && !rbac {
				return usage{errors.New("render: --in-cluster needs --rbac")}
			}
			e, err := readSpec(a[0], change)
			if err != nil {
				return err
			}
			render := renderArms
			if rbac {
				render = func(e *experiment.Experiment, only string) (string, error) { return renderRBAC(e, only, inside) }
			}
			text, err := render(e, only)
			if err != nil {
				return err
			}
			fmt.Fprint(t.out, text)
			return nil
		},
	}
	c.Flags().StringVar(&only, "arm", "", "print the objects of this arm only")
	c.Flags().BoolVar(&rbac, "rbac", false, "print the Role that the experiment needs")
	c.Flags().BoolVar(&inside, "in-cluster", false, "with --rbac, also the permissions to start the run in a pod of the cluster")
	completeArm(c)
	filesFlag(c, "experiment file")
	change.flags(c)
	return c
}

// knownArm refuses the name of an arm that the experiment does not have; "" is all arms.
func knownArm(e *experiment.Experiment, name string) error {
	if _, ok := e.Arm(name); name != "" && !ok {
		return usage{fmt.Errorf("unknown arm %q; the arms are %s", name, strings.Join(e.Arms.Names(), ", "))}
	}
	return nil
}

// renderArms is the text of all arms, or of the one that is named.
func renderArms(e *experiment.Experiment, only string) (string, error) {
	if err := knownArm(e, only); err != nil {
		return "", err
	}
	job := runner.Job{Experiment: e}
	problems := append(makeTargets(&job), makeFrom(&job)...)
	var b strings.Builder
	if job.From != nil {
		text, err := job.From.Render()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "# load of all arms\n%s", text)
	}
	for _, arm := range e.Arms {
		if only != "" && arm.Name != only {
			continue
		}
		place, made := job.Targets[arm.Name]
		if !made { // its settings are wrong, which problems say
			continue
		}
		render := place.Capabilities().Render
		if render == nil {
			fmt.Fprintf(&b, "# arm %s: target %s makes no Kubernetes objects\n", arm.Name, arm.Target)
			continue
		}
		text, err := render(arm.Name, e.Settings(arm))
		if err != nil {
			problems = append(problems, asProblems(arm, err)...)
			continue
		}
		fmt.Fprintf(&b, "# arm %s\n%s", arm.Name, text)
	}
	return b.String(), problems.Err()
}
