package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/target/kubernetes"
)

// TestFetchAgain: the command that finds a run again names the cluster as it was named, in words of a shell.
func TestFetchAgain(t *testing.T) {
	config := filepath.Join(t.TempDir(), "it's mine")
	if err := os.WriteFile(config, []byte("{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}], contexts: [{name: a/b, context: {cluster: c}}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	remote, err := kubernetes.ConnectRemote(kubernetes.Where{Kubeconfig: config, Context: "a/b", Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	want := "tare fetch tare-run-x --delete --force --namespace shop --context a/b --kubeconfig '" + strings.Replace(config, "'", `'\''`, 1) + "'"
	if got := toEnd(remote, "tare-run-x"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFetchInto: a run is never unpacked over what is there, and one that is named is as it was named.
func TestFetchInto(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ named, want string }{{"", "runs/r"}, {"out/", "out"}, {"", "runs/r-2"}, {"", "runs/r-3"}} {
		dir := fetchInto(c.named, "r")
		if dir != filepath.FromSlash(c.want) {
			t.Errorf("%q: %s, want %s", c.named, dir, c.want)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
