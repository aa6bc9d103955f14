//go:build lab

package main

// What a cluster holds: looked at before and after tare was killed in it, and searched for
// passwords.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testCluster is the cluster of `make cluster-crash`, and what its tests are given.
type testCluster struct {
	kubeconfig, admin, namespace string
	kinds                        string // all that can be listed, for kubectl
}

func newTestCluster(t *testing.T) *testCluster {
	t.Helper()
	c := &testCluster{kubeconfig: os.Getenv("TARE_TEST_KUBECONFIG"), admin: os.Getenv("TARE_TEST_ADMIN"), namespace: "tare"}
	if c.kubeconfig == "" || c.admin == "" {
		t.Fatal("TARE_TEST_KUBECONFIG and TARE_TEST_ADMIN name no cluster; `make lab-crash` brings one up and runs these tests")
	}
	kinds := strings.Fields(string(c.kubectl(t, "api-resources", "--verbs=list", "--output", "name")))
	c.kinds = strings.Join(slices.DeleteFunc(kinds, func(kind string) bool { return kind == "componentstatuses" }), ",")
	return c
}

// command is the cluster's own kubectl, where it is the lab.
func (c *testCluster) command(args ...string) *exec.Cmd {
	program := "kubectl"
	if lab := os.Getenv("TARE_TEST_LAB"); lab != "" {
		program = filepath.Join(filepath.Dir(lab), "kubectl")
	}
	return exec.Command(program, append([]string{"--kubeconfig", c.admin}, args...)...)
}

func (c *testCluster) kubectl(t *testing.T, args ...string) []byte {
	t.Helper()
	command := c.command(args...)
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("kubectl %v: %v\n%s", args, err, &said)
	}
	return out
}

// logs are those of all containers of a pod; none where it has not started.
func (c *testCluster) logs(pod string) []byte {
	out, _ := c.command("logs", "--namespace", c.namespace, "--all-containers", pod).Output()
	return out
}

// clusterObject is one of a cluster, of any kind.
type clusterObject struct {
	name string // kind, namespace and name
	kind string
	text []byte
}

// objects are all of the cluster.
func (c *testCluster) objects(t *testing.T) []clusterObject {
	t.Helper()
	all, err := c.look()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (c *testCluster) look() ([]clusterObject, error) {
	out, err := c.command("get", c.kinds, "--all-namespaces", "--output", "json").Output()
	if err != nil {
		return nil, fmt.Errorf("kubectl get: %w", err)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, err
	}
	var all []clusterObject
	for _, text := range list.Items {
		var o struct {
			Kind     string
			Metadata struct{ Namespace, Name string }
		}
		if err := json.Unmarshal(text, &o); err != nil {
			return nil, err
		}
		all = append(all, clusterObject{fmt.Sprintf("%s %s/%s", o.Kind, o.Metadata.Namespace, o.Metadata.Name), o.Kind, text})
	}
	return all, nil
}

// names are those of the test's namespace and of the cluster's own objects, volumes among
// them. Events say what has happened, and are there for an hour.
func (c *testCluster) names(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, o := range c.objects(t) {
		_, place, _ := strings.Cut(o.name, " ")
		if o.kind != "Event" && (strings.HasPrefix(place, c.namespace+"/") || strings.HasPrefix(place, "/")) {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return names
}

// asBefore waits until the cluster has the objects that it had: what owns nothing any more is
// collected by the cluster, and a volume is given back by its provisioner.
func (c *testCluster) asBefore(t *testing.T, before []string) (left int) {
	t.Helper()
	var diff string
	for deadline := time.Now().Add(hangs); time.Now().Before(deadline); time.Sleep(time.Second) {
		if diff = cmp.Diff(before, c.names(t)); diff == "" {
			return 0
		}
	}
	t.Errorf("the cluster is not as it was (-before +now):\n%s", diff)
	return 1
}
