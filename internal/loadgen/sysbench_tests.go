package loadgen

import "regexp"

// otherTests are lines that only sysbench's tests without a database print (src/tests of its
// sources), by what each of them loads.
var otherTests = []struct {
	line *regexp.Regexp
	test string
}{
	{regexp.MustCompile(`^(?:Extra file open flags: .*|File operations:)$`), "fileio tests files"},
	{regexp.MustCompile(`^(?:Prime numbers limit: \d+|CPU speed:)$`), "cpu tests the processor"},
	{regexp.MustCompile(`^Running memory speed test with the following options:$`), "memory tests memory"},
	{regexp.MustCompile(`^Doing thread subsystem performance test$`), "threads tests the scheduler"},
	{regexp.MustCompile(`^Doing mutex performance test$`), "mutex tests locks"},
}

// otherTest says which test without a database prints such a line; "" for any other line.
func otherTest(line string) string {
	for _, t := range otherTests {
		if t.line.MatchString(line) {
			return t.test
		}
	}
	return ""
}
