package option

import "testing"

// TestLacksCollation: as servers answered, and nothing of those that were not asked.
func TestLacksCollation(t *testing.T) {
	for _, c := range []struct {
		product string
		in      Release
		name    string
		want    bool
	}{
		{MariaDB, Release{10, 11, 999}, "utf8mb4_0900_ai_ci", true}, {MariaDB, Release{10, 6, 5}, "utf8mb4_0900_ai_ci", true},
		{MariaDB, Release{11, 8, 999}, "utf8mb4_0900_ai_ci", false}, {MariaDB, Release{11, 8, 9}, "UTF8MB4_0900_BIN", false}, {MariaDB, Release{11, 4, 5}, "utf8mb4_0900_ai_ci", false},
		{MariaDB, Release{10, 11, 999}, "utf8_general_ci", false}, {MariaDB, Release{10, 11, 999}, "utf8mb4_uca1400_ai_ci", false}, {MariaDB, Release{10, 11, 999}, "uca1400_ai_ci", true},
		{MariaDB, Release{12, 9, 999}, "utf8mb4_new_ci", false},
		{MySQL, Release{9, 7, 999}, "utf8mb4_uca1400_ai_ci", true}, {MySQL, Release{9, 7, 4}, "utf8_general_ci", true}, {MySQL, Release{8, 4, 6}, "utf8_general_ci", false},
		{MySQL, Release{8, 4, 6}, "utf8mb4_uca1400_ai_ci", true}, {MySQL, Release{5, 7, 44}, "utf8mb4_0900_ai_ci", true}, {MySQL, Release{8, 0, 46}, "utf8mb4_0900_ai_ci", false},
	} {
		if got := LacksCollation(c.product, c.in, c.name); got != c.want {
			t.Errorf("%s %v lacks %s: %t", c.product, c.in, c.name, got)
		}
	}
	for _, c := range []struct {
		product, name string
		in            Release
		want          bool
	}{
		{MariaDB, "utf8mb5", Release{10, 11, 999}, true}, {MariaDB, "utf8", Release{11, 8, 9}, false}, {MySQL, "utf8", Release{9, 7, 4}, true}, {MySQL, "utf8", Release{8, 4, 6}, false},
		{MySQL, "binary", Release{9, 7, 4}, false}, {MySQL, "gb18030", Release{5, 7, 44}, false}, {MariaDB, "gb18030", Release{10, 11, 999}, true},
	} {
		if got := LacksCharacterSet(c.product, c.in, c.name); got != c.want {
			t.Errorf("%s %v lacks %s: %t", c.product, c.in, c.name, got)
		}
	}
}
