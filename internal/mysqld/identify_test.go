package mysqld

import "testing"

// TestVersionLine: what servers print with --version, one with words behind its version.
func TestVersionLine(t *testing.T) {
	for line, want := range map[string]string{
		"/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))":                                         "9.7.4-2 for Linux on x86_64 ((Debian))",
		"mariadbd  Ver 10.11.18-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)":                  "10.11.18-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)",
		"/usr/sbin/mariadbd  Ver 11.8.9-MariaDB-4 from Debian for debian-linux-gnu on x86_64 (-- Please help)": "11.8.9-MariaDB-4 from Debian for debian-linux-gnu on x86_64 (-- Please help)",
		"mysql  Ver 15.1 Distrib 10.11.18-MariaDB, for debian-linux-gnu (x86_64)":                              "",
		"sysbench 1.0.20": "",
	} {
		got := ""
		if m := versionLine.FindStringSubmatch(line); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%q: version %q, want %q", line, got, want)
		}
	}
}
