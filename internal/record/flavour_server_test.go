package record

import "testing"

// TestServer: the product and the release as the server answered, or of the files that it was started from.
func TestServer(t *testing.T) {
	for want, facts := range map[string][]Fact{
		"MariaDB 10.11.19":      {{Key: "mysql.variable.version", Value: "10.11.19-MariaDB-0+deb12u1-log"}},
		"MariaDB 11.8.3":        {{Key: "mysql.variable.version", Value: "11.8.3"}, {Key: "mysql.variable.version_comment", Value: "MariaDB Server"}},
		"MySQL 9.7.4":           {{Key: "server.flavour", Value: "mysql"}, {Key: "server.version", Value: "9.7.4"}},
		"Percona Server 8.0.36": {{Key: "mysql.variable.version", Value: "8.0.36-28"}, {Key: "mysql.variable.version_comment", Value: "Percona Server (GPL), Release 28"}},
		"MySQL 8.4.3":           {{Key: "server.version", Value: "8.4"}, {Key: "mysql.variable.version", Value: "8.4.3-log"}},
		"":                      {{Key: "server.flavour", Value: "mysql"}},
	} {
		if got := (&Trial{Facts: facts}).Server(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
