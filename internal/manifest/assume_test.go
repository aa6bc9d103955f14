package manifest

import "testing"

func TestParseServer(t *testing.T) {
	for text, want := range map[string]struct {
		product Product
		version Version
	}{
		"8.0": {MySQL, Version{8, 0, 0}}, "8.4.3": {MySQL, Version{8, 4, 3}}, "mysql-9.1": {MySQL, Version{9, 1, 0}}, "26.7": {MySQL, Version{26, 7, 0}},
		"10.11": {MariaDB, Version{10, 11, 0}}, "mariadb-11.8.9": {MariaDB, Version{11, 8, 9}}, "MariaDB 10.6": {MariaDB, Version{10, 6, 0}},
	} {
		product, version, err := ParseServer(text)
		if err != nil || product != want.product || version != want.version {
			t.Errorf("%q is %s %v, %v; want %s %v", text, product, version, err, want.product, want.version)
		}
	}
	for _, text := range []string{"", "latest", "mariadb", "8.9", "5.8", "10.12", "mariadb-11.9"} {
		if product, version, err := ParseServer(text); err == nil {
			t.Errorf("%q is %s %v", text, product, version)
		}
	}
}
