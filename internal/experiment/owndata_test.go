package experiment

import (
	"fmt"
	"strings"
	"testing"
)

// TestOwnData: data.from is one source; what contradicts it is said with
// its place.
func TestOwnData(t *testing.T) {
	const spec = "apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: x}\ndata: {%s}\nbaseline: a\narms: {a: {target: process}, b: {target: process}}\n"
	for _, c := range []struct{ data, want string }{
		{"from: {directory: /backup}, schema: shop", ""},
		{"from: {dump: /backup/shop.sql.gz}", ""},
		{"from: {clone: {host: replica, user: clone, passwordFile: /etc/secret}}, each: copy", ""},
		{"from: {clone: {host: replica, user: clone, tls: verify-ca, ca: /etc/ca.pem}}", ""},
		{"from: {}", "data.from: expected one of directory, dump and clone, not none"},
		{"from: {directory: /a, dump: /b}", "expected one of directory, dump and clone, not directory and dump"},
		{"from: {clone: {host: h}}", "data.from.clone.user: name an account"},
		{"from: {clone: {host: h, user: u, port: 70000}}", "expected a port from 1 to 65535, not 70000"},
		{"from: {directory: /a}, each: keep", "data.each: every trial begins with a copy of data.from"},
		{"schema: shop", "data.schema is a schema of data.from"},
		{"from: {directory: /a}, schema: a/b", `"a/b" cannot be the name of a schema`},
		{"from: {directories: /a}", "unknown field"},
	} {
		_, err := Parse("x.yaml", fmt.Appendf(nil, spec, c.data))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "x.yaml:4:")) {
			t.Errorf("%s: %v; want %q", c.data, err, c.want)
		}
	}
}
