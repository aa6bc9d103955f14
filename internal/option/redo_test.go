package option

import "testing"

// TestFilesMaySizeRedo: the old options are in effect where they are set and the new one is not, which a
// server shows at its default then.
func TestFilesMaySizeRedo(t *testing.T) {
	for _, c := range []struct {
		capacity, size, files string
		want                  bool
	}{
		{"104857600", "50331648", "2", false}, // nothing is set
		{"104857600", "2147483648", "2", true},
		{"104857600", "50331648", "8", true},
		{"2147483648", "2147483648", "2", false}, // the capacity is set
		{"104857600", "", "", false},             // 9.7
		{"", "2147483648", "2", false},           // before 8.0.30, and MariaDB
	} {
		variables := map[string]string{"innodb_redo_log_capacity": c.capacity, "innodb_log_file_size": c.size, "innodb_log_files_in_group": c.files}
		if got := FilesMaySizeRedo(func(name string) string { return variables[name] }); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
