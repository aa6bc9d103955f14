package benchlog

// other is a program whose results are not read, with words that only its output has, and what to give in
// place of the file, where there is something.
type other struct{ words, program, instead string }

// others are programs that people try. What they count is not transactions of a MySQL server, or
// they print a report of a log that can be read itself.
func others() []other {
	const digest, summary, export = "tare capture --log reads the log itself", "use its summary.json or results.csv", "write the summary as JSON (--summary-export, or handleSummary)"
	return []other{
		{"[OVERALL], Throughput(ops/sec)", "YCSB", ""},
		{"number of transactions actually processed:", "pgbench, which loads PostgreSQL", ""},
		{"# Query_time distribution", "pt-query-digest, a report about a log", digest},
		{"# Rank Query ID", "pt-query-digest, a report about a log", digest},
		{"Measured tpmC (NewOrders)", "BenchmarkSQL", ""},
		{"<jmeterTestPlan", "JMeter", ""},
		{"timeStamp,elapsed,label,responseCode", "JMeter", ""},
		{"Transaction Type Index,Transaction Name,Start Time (microseconds)", "BenchBase's raw samples", summary},
		{"Time (seconds),Requests,Throughput", "BenchBase's samples", summary},
		{" requests/sec (throughput), ", "BenchBase's console log", summary},
		{"time(sec), throughput(req/sec)", "OLTPBench, which BenchBase has replaced", ""},
		{`"type":"Point"`, "k6's points of time", export},
		{"http_reqs..", "k6, a test of HTTP", ""},
		{"iteration_duration..", "k6's summary as text", export},
		{"Average number of seconds to run all queries:", "mysqlslap, with a time that has a decimal comma", "print it with LC_NUMERIC=C"},
		{"Requests/sec:", "wrk or hey, which load HTTP servers", ""},
		{"ALL STATS============", "memtier_benchmark", ""},
	}
}
