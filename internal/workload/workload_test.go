package workload

import (
	"os"
	"strings"
	"testing"
)

// shipped is where Debian and Ubuntu put sysbench's scripts.
const shipped = "/usr/share/sysbench/"

// TestNamesAreSysbenchs compares the table with the scripts that sysbench ships:
// a name missing on either side is found.
func TestNamesAreSysbenchs(t *testing.T) {
	entries, err := os.ReadDir(shipped)
	if err != nil {
		t.Skipf("no sysbench here: %v", err)
	}
	scripts := map[string]bool{}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".lua"); ok && name != "oltp_common" {
			scripts[name] = true
		}
	}
	scripts["oltp_read_write_pct"] = true // tare gives sysbench that one
	for _, w := range All() {
		if scripts[w.Name] == w.BuiltIn {
			t.Errorf("%s: built in %v, sysbench has such a script: %v", w.Name, w.BuiltIn, scripts[w.Name])
		}
		delete(scripts, w.Name)
	}
	for name := range scripts {
		t.Errorf("%s: sysbench has it, the table has not", name)
	}
}

// TestWritesIsWhatTheScriptsDo reads the scripts: one that only selects must not
// be called a writer, and one that writes must be.
func TestWritesIsWhatTheScriptsDo(t *testing.T) {
	for _, w := range All() {
		if w.BuiltIn {
			continue
		}
		script, err := os.ReadFile(shipped + w.Name + ".lua")
		if err != nil {
			t.Skipf("no sysbench here: %v", err)
		}
		writes := false
		for _, does := range []string{
			"execute_index_updates(", "execute_non_index_updates(",
			"execute_delete_inserts(", `"deletes"`, "bulk_insert_next", "INSERT INTO",
		} {
			writes = writes || strings.Contains(string(script), does)
		}
		if writes != w.Writes {
			t.Errorf("%s: Writes is %v, its script says %v", w.Name, w.Writes, writes)
		}
	}
}

func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range All() {
		if w.Name == "" || w.Help == "" || IsScript(w.Name) || seen[w.Name] {
			t.Errorf("%+v: incomplete, twice or named like a script", w)
		}
		seen[w.Name] = true
		if got, ok := Find(w.Name); !ok || got != w {
			t.Errorf("Find(%q) = %+v, %v", w.Name, got, ok)
		}
	}
	if _, ok := Find("oltp"); ok {
		t.Error("Find takes a part of a name")
	}
	for _, path := range []string{"./my", "my.lua", "/opt/tpcc.lua"} {
		if !IsScript(path) {
			t.Errorf("IsScript(%q) = false", path)
		}
	}
}
