package manifest

import "testing"

// TestScriptVariables: an option of a script has the value that the script or the environment plainly gives it, and is
// unresolved otherwise.
func TestScriptVariables(t *testing.T) {
	env := map[string]variable{"E": {value: "/env", known: true}}
	for script, want := range map[string]string{
		"D=/var/lib/mysql/data\nexec mysqld --datadir=$D":                 "/var/lib/mysql/data",
		"export D=\"$E/data\"; exec mysqld --datadir=\"${D}\"":            "/env/data",
		"D='/data' && exec mysqld --datadir=$D/x":                         "/data/x",
		"exec mysqld --datadir=$E":                                        "/env",
		"D=/data exec mysqld --datadir=$D":                                "$D",
		"D=$(mktemp -d)\nexec mysqld --datadir=$D":                        "$D",
		"D=`pwd`\nexec mysqld --datadir=$D":                               "$D",
		"if true; then\n  E=/other\nfi\nexec mysqld --datadir=$E":         "$E",
		"[ -d /x ] && E=/x\nexec mysqld --datadir=$E":                     "$E",
		"test -d /x || E=/x\nexec mysqld --datadir=$E":                    "$E",
		"D=/a\nD=/b\nexec mysqld --datadir=$D":                            "$D",
		"D=/a\nD=/a\nexec mysqld --datadir=$D":                            "/a",
		"read -r E\nexec mysqld --datadir=$E":                             "$E",
		"f() {\n  E=/x\n}\nexec mysqld --datadir=$E":                      "$E",
		"exec mysqld --datadir=${D:-/data}":                               "${D:-/data}",
		"for E in /a /b; do\n  true\ndone\nexec mysqld --datadir=$E/data": "$E/data",
	} {
		d := &Database{Object: &Object{}}
		(&Set{}).script(d, script, Value{}, fromArguments, env)
		o, _ := d.Option("datadir")
		if o.Value != want || (Unresolved(o.Value) != "") != (want[0] == '$') {
			t.Errorf("%s\n%q, want %q", script, o.Value, want)
		}
	}
	if env["E"].value != "/env" {
		t.Error("the environment was changed")
	}
}
