// A second interface for pods that ask for one: a network plugin of the lab's own,
// called after the one that made eth0, as Multus is called before it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	// secondPlugin is the name by which containerd calls this program.
	secondPlugin = "tarelab-second"
	// secondWish is the annotation of pods that get a second interface.
	secondWish = "lab.tarebench.io/second-interface"
	// secondName is what it is called in the pod, as Multus calls the first of its own.
	secondName    = "net1"
	secondNetwork = "10.246.0.0/16"
)

// annotations is the capability by which containerd tells plugins of a pod's
// annotations (containerd pkg/cri/annotations/annotations.go, PodAnnotations).
const annotations = "io.kubernetes.cri.pod-annotations"

// secondConfig is this plugin's part of the node's conflist: the configuration of the
// standard plugin macvlan on the node's second link, and an address of the node's
// share of the second network. There is no route beyond: both ends are on one switch.
func secondConfig(n node) string {
	return fmt.Sprintf(`{"type": %q, "capabilities": {%q: true}, "interface": {"cniVersion": "1.0.0", "name": "second", "type": "macvlan", "master": "eth1", "mode": "bridge",
   "ipam": {"type": "host-local", "ranges": [[{"subnet": %q, "rangeStart": "10.246.%d.1", "rangeEnd": "10.246.%d.254"}]]}}}`,
		secondPlugin, annotations, secondNetwork, n.number, n.number)
}

// second is one call by the protocol of containernetworking/cni SPEC.md: the command in
// the environment, the configuration on standard input. The result is that of the
// plugins before: the pod's own address stays the one of eth0.
func second(in io.Reader, out io.Writer) error {
	command := os.Getenv("CNI_COMMAND")
	if command == "VERSION" {
		_, err := fmt.Fprintln(out, `{"cniVersion": "1.0.0", "supportedVersions": ["0.4.0", "1.0.0"]}`)
		return err
	}
	var config struct {
		Interface     json.RawMessage            `json:"interface"`
		PrevResult    json.RawMessage            `json:"prevResult"`
		RuntimeConfig map[string]json.RawMessage `json:"runtimeConfig"`
	}
	if err := json.NewDecoder(in).Decode(&config); err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	var wishes map[string]string
	if text, ok := config.RuntimeConfig[annotations]; ok {
		if err := json.Unmarshal(text, &wishes); err != nil {
			return fmt.Errorf("read configuration: %s: %w", annotations, err)
		}
	}
	if wishes[secondWish] != "" {
		if err := delegate(config.Interface); err != nil {
			return fmt.Errorf("make %s: %w", secondName, err)
		}
	}
	if command != "ADD" {
		return nil
	}
	_, err := out.Write(config.PrevResult)
	return err
}

// delegate makes the same call of the plugin that a configuration names, for the
// second interface.
func delegate(config json.RawMessage) error {
	var which struct{ Type string }
	if err := json.Unmarshal(config, &which); err != nil || which.Type == "" {
		return errors.Join(errors.New("the configuration names no plugin"), err)
	}
	for _, dir := range filepath.SplitList(os.Getenv("CNI_PATH")) {
		program := filepath.Join(dir, which.Type)
		if _, err := os.Stat(program); err != nil {
			continue
		}
		c := exec.Command(program)
		c.Env = append(os.Environ(), "CNI_IFNAME="+secondName)
		c.Stdin = bytes.NewReader(config)
		if said, err := c.Output(); err != nil {
			return fmt.Errorf("%s: %w: %s", which.Type, err, bytes.TrimSpace(said)) // plugins print their errors there
		}
		return nil
	}
	return fmt.Errorf("there is no plugin %s on CNI_PATH", which.Type)
}

// asPlugin is the program's end when containerd has called it.
func asPlugin() int {
	err := second(os.Stdin, os.Stdout)
	if err == nil {
		return 0
	}
	said, _ := json.Marshal(map[string]any{"cniVersion": "1.0.0", "code": 100, "msg": err.Error()}) // text and a number always encode
	fmt.Fprintf(os.Stdout, "%s\n", said)
	return 1
}
