package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecond: the second interface is made for pods that ask for it and no others,
// and the result is in any case that of the plugins before.
func TestSecond(t *testing.T) {
	dir := t.TempDir()
	called := filepath.Join(dir, "called")
	program := "#!/bin/sh\n{ echo $CNI_COMMAND $CNI_IFNAME; cat; } >" + called + "\nif grep -q refuse " + called + "; then echo '{\"msg\": \"no\"}'; exit 1; fi\n"
	if err := os.WriteFile(filepath.Join(dir, "macvlan"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CNI_PATH", dir+"/none:"+dir)
	const before = `{"ips": [{"address": "10.245.1.2/24"}]}`
	config := func(network, asked string) string {
		return `{"cniVersion": "1.0.0", "type": "tarelab-second", "interface": ` + network + `, "prevResult": ` + before + `, "runtimeConfig": {"` + annotations + `": {` + asked + `}}}`
	}
	wish := `"` + secondWish + `": "yes"`
	for _, c := range []struct{ name, command, config, called, printed, err string }{
		{"asked", "ADD", config(`{"type": "macvlan"}`, wish), "ADD net1\n{\"type\": \"macvlan\"}", before, ""},
		{"not asked", "ADD", config(`{"type": "macvlan"}`, `"other": "yes"`), "", before, ""},
		{"asked, removed", "DEL", config(`{"type": "macvlan"}`, wish), "DEL net1\n{\"type\": \"macvlan\"}", "", ""},
		{"refused", "ADD", config(`{"type": "macvlan", "master": "refuse"}`, wish), "ADD net1\n{\"type\": \"macvlan\", \"master\": \"refuse\"}", "", `make net1: macvlan: exit status 1: {"msg": "no"}`},
		{"no such plugin", "ADD", config(`{"type": "ipvlan"}`, wish), "", "", "there is no plugin ipvlan"},
		{"no type", "ADD", config(`{}`, wish), "", "", "names no plugin"},
		{"half", "ADD", `{"interface":`, "", "", "read configuration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			os.Remove(called)
			t.Setenv("CNI_COMMAND", c.command)
			var out bytes.Buffer
			err := second(strings.NewReader(c.config), &out)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			got, _ := os.ReadFile(called) // not there: not called
			if string(got) != c.called || out.String() != c.printed {
				t.Errorf("called with %q, printed %q; want %q, %q", got, out.String(), c.called, c.printed)
			}
		})
	}
	t.Setenv("CNI_COMMAND", "VERSION")
	var out bytes.Buffer
	if err := second(strings.NewReader(""), &out); err != nil || !strings.Contains(out.String(), `"1.0.0"`) {
		t.Errorf("VERSION: %v, %s", err, &out)
	}
}
