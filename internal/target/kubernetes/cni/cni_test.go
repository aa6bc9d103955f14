package cni

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the golden files")

// objects reads a cluster's objects from a file of several documents. The pod called
// server is the server's, all others are of its node.
func objects(t *testing.T, file string) Objects {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o := Objects{Configs: map[string]map[string]string{}}
	read := func(text []byte, into any) {
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	for text := range bytes.SplitSeq(b, []byte("\n---\n")) {
		var head struct{ Kind string }
		read(text, &head)
		switch head.Kind {
		case "Node":
			o.Node = &corev1.Node{}
			read(text, o.Node)
		case "Pod":
			var p corev1.Pod
			if read(text, &p); p.Name == "server" {
				o.Pod = &p
			} else {
				o.Agents = append(o.Agents, p)
			}
		case "ConfigMap":
			var c corev1.ConfigMap
			read(text, &c)
			o.Configs[c.Namespace+"/"+c.Name] = c.Data
		case "IPPool":
			var p struct{ Spec Pool }
			read(text, &p)
			o.Pools = append(o.Pools, p.Spec)
		default:
			t.Fatalf("%s: unknown kind %q", file, head.Kind)
		}
	}
	return o
}

// TestFacts: the objects of clusters with each plugin, and what is read from them.
func TestFacts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			var got strings.Builder
			for _, f := range Facts(objects(t, file)) {
				fmt.Fprintf(&got, "%s = %s", f.Key, f.Value)
				if f.Unknown != "" {
					fmt.Fprintf(&got, "unknown: %s", f.Unknown)
				}
				fmt.Fprintln(&got)
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got.String()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestUnread: what the rights do not reach is said, and annotations still tell the plugin.
func TestUnread(t *testing.T) {
	o := objects(t, "testdata/calico-ipip.yaml")
	o.Configs, o.Pools, o.Unread = nil, nil, "these credentials may not list ippools"
	byKey := map[string]string{}
	for _, f := range Facts(o) {
		byKey[f.Key] = f.Value + f.Unknown
	}
	if byKey["network.between"] != "ipip" || byKey["network.plugin.settings"] != o.Unread || byKey["network.service_proxy"] != "kube-proxy" {
		t.Errorf("%v", byKey)
	}
	if f := Facts(Objects{}); len(f) != 1 || f[0].Unknown == "" {
		t.Errorf("without a node: %v", f)
	}
}

// FuzzAttachments: an annotation is written by others.
func FuzzAttachments(f *testing.F) {
	f.Add(`[{"name": "a", "interface": "net1", "ips": ["10.0.0.1"]}]`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Attachments(map[string]string{StatusAnnotation: text})
		if err != nil && all != nil {
			t.Error("attachments beside an error")
		}
		attachments(Objects{Pod: &corev1.Pod{}})
	})
}
