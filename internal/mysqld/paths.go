package mysqld

import (
	"path"
	"path/filepath"
	"strings"
)

// Paths are the directories of the server's own files, as seen inside Root;
// "" where the compiled-in default stands or nothing was found.
type Paths struct {
	// Base is the installation prefix, set when it is not the one the binary
	// was built for: a server unpacked into a directory of its own.
	Base string
	// Messages holds english/errmsg.sys, set with Base.
	Messages string
	// Plugins holds the loadable plugins, set with Base.
	Plugins string
	// Share holds MariaDB's SQL scripts that make the system tables.
	Share string
}

// shareDirs and pluginDirs are below the prefix, in the order of looking. The
// names differ by who built the server: Oracle's RPMs have mysql-8.4, Fedora's
// MariaDB has mariadb, the generic archives have share and lib/plugin alone.
var (
	shareDirs  = []string{"share/mysql", "share/mariadb", "share/mysql-*", "share"}
	pluginDirs = []string{"lib/mysql/plugin", "lib64/mysql/plugin", "lib/plugin", "lib64/plugin", "lib/*/mariadb*/plugin", "lib/*/mysql/plugin"}
)

// locate finds the directories that belong to a server binary. A server in
// /usr was built for /usr: it finds its own, and no option of ours should
// stand in the way of what its builder meant.
func locate(root, server string) Paths {
	prefix := path.Dir(path.Dir(server))
	p := Paths{Share: first(root, prefix, shareDirs, "*_system_tables.sql")}
	if prefix == "/usr" {
		return p
	}
	p.Base = prefix
	p.Messages = first(root, prefix, shareDirs, "english/errmsg.sys")
	p.Plugins = first(root, prefix, pluginDirs, "")
	return p
}

// first returns the first directory below prefix that holds a file; file is a
// pattern too, "" for the directory alone.
func first(root, prefix string, dirs []string, file string) string {
	// The path to the server is the user's, and not a pattern.
	literal := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
	for _, d := range dirs {
		found, _ := filepath.Glob(filepath.Join(literal.Replace(filepath.Join(root, prefix)), d)) // all patterns are ours and well-formed
		for _, dir := range found {
			if files, _ := filepath.Glob(filepath.Join(literal.Replace(dir), file)); len(files) > 0 {
				return inside(root, dir)
			}
		}
	}
	return ""
}
