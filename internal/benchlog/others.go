package benchlog

// other is a program whose results are not read, with words that only its output has.
type other struct{ words, program string }

// others are programs that people try. What they count is not transactions of a MySQL server, or
// they print a report of a log that can be read itself.
func others() []other {
	return []other{
		{"[OVERALL], Throughput(ops/sec)", "YCSB"},
		{"number of transactions actually processed:", "pgbench, which loads PostgreSQL"},
		{"# Query_time distribution", "pt-query-digest, a report about a log; tare capture --log reads the log itself"},
		{"# Rank Query ID", "pt-query-digest, a report about a log; tare capture --log reads the log itself"},
		{"Measured tpmC (NewOrders)", "BenchmarkSQL"},
		{"<jmeterTestPlan", "JMeter"},
		{"timeStamp,elapsed,label,responseCode", "JMeter"},
		{"Transaction Type Index,Transaction Name,Start Time (microseconds)", "BenchBase's raw samples; use its summary.json or results.csv"},
		{"Requests/sec:", "wrk or hey, which load HTTP servers"},
		{"ALL STATS============", "memtier_benchmark"},
	}
}
