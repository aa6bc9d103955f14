package capture

// This file knows files that are taken for logs and are none: each is refused with what to give in
// its place.

import (
	"fmt"
	"regexp"
	"strings"
)

// strangers are the beginnings of their lines.
var strangers = []struct {
	line *regexp.Regexp
	is   string
}{
	{regexp.MustCompile(`^# Overall: .* total, .* unique|^# Rank Query ID |^# Query \d+: .* QPS, |^# \d+(?:\.\d+)?m?s user time, .* rss, .* vsz`),
		"it is a report of pt-query-digest, which has no single statements; give the log itself, or write pt-query-digest --output slowlog"},
	{regexp.MustCompile(`^Reading mysql slow query log from |^Count: \d+ +Time=[\d.]+s `), "it is a report of mysqldumpslow, which has no single statements; give the log itself"},
	{regexp.MustCompile(`^/\*!50530 SET @@SESSION\.PSEUDO_SLAVE_MODE|^#\d{6} [ \d]\d:\d\d:\d\d server id \d+ +end_log_pos `), "it was written by mysqlbinlog; a binary log has only statements that write; give a slow log or a general log"},
	{regexp.MustCompile(`^-- (?:MySQL|MariaDB) dump `), "it is a dump of the data; give a slow log or a general log"},
	{regexp.MustCompile(`^\*{10,} 1\. row \*{10,}$`), `it was written with \G; write the table with mysql --batch, or as CSV`},
	{regexp.MustCompile(`^\| (?:event_time|start_time) +\| user_host`), "it is a table drawn by mysql; write it with mysql --batch, or as CSV"},
	{regexp.MustCompile(`^\s*"(?:logStreamName|ingestionTime)": |^\{"events": ?\[|^\s*"message": "#? ?(?:Time: \d|\d{4}-)`), "it is JSON of CloudWatch; write the messages alone: aws logs tail, or jq -r '.events[].message'"},
	{regexp.MustCompile(`^\s*\[?\{?\s*"(?:start_time|event_time)": ?"`), "it is a table in JSON; write it with mysql --batch, or as CSV"},
	{regexp.MustCompile(`\bmysql-server_auditing: `), "it is server_audit's log in the syslog, which has no times of its own; give the file (server_audit_output_type=FILE)"},
	{regexp.MustCompile(`^"?SCHEMA_NAME"?[\t,;]"?DIGEST"?[\t,;]|^"?THREAD_ID"?[\t,;]"?EVENT_ID"?[\t,;]`), "it is a table of performance_schema; let tare read the server itself (tare capture ADDRESS)"},
	{regexp.MustCompile(`^<AUDIT_RECORD|^\{"audit_record":|^\s*"class": ?"(?:general|connection)"|^\s*\{\s*"timestamp": ?"[^"]*", ?"id": ?\d+, ?"class": ?"|^\s*\{\s*"name": ?"\w+", ?"record(?:_id)?": ?"`),
		"it is an audit log in XML or JSON; give a slow log or a general log"},
	{regexp.MustCompile(`^"(?:Query|Execute|Prepare|Connect|Quit|Audit|Init DB)","\d+_\d{4}-`), "it is Percona Server's audit log in CSV; give a slow log or a general log"},
	{regexp.MustCompile(`"category": ?"MySql(?:Slow|Audit)Logs"`), "it is a log of Azure's diagnostics in JSON; give the slow log as the file that the server wrote"},
	{regexp.MustCompile(`^ProxySQL LOG QUERY: |"hostgroup_id": ?\d+.*"query": ?"|"query": ?".*"hostgroup_id": ?\d`), "it is ProxySQL's query log; give a slow log or a general log of the server"},
	{regexp.MustCompile(`^Date,User@Host,Query$`), "it is MaxScale's query log (QLA); give a slow log or a general log of the server"},
	{regexp.MustCompile(`"OriginalSQL": ?"`), "it is a query log of Vitess; give a slow log or a general log of the servers behind it"},
}

// signatures are the first bytes of files that are no text.
var signatures = []struct{ begins, is string }{
	{"\xfebin", "it is a binary log, which has only statements that write; give a slow log or a general log"},
	{"\xd4\xc3\xb2\xa1", "it is a packet capture; read it with --packets"},
	{"\x4d\x3c\xb2\xa1", "it is a packet capture; read it with --packets"},
	{"\xa1\xb2\xc3\xd4", "it is a packet capture; read it with --packets"},
	{"\xa1\xb2\x3c\x4d", "it is a packet capture; read it with --packets"},
}

// foreign is the error of a line that no log has.
func foreign(line string) error {
	if len(line) > 1000 {
		return nil
	}
	for _, s := range signatures {
		if strings.HasPrefix(line, s.begins) {
			return fmt.Errorf("%s: %w", s.is, ErrNoLog)
		}
	}
	for _, s := range strangers {
		if s.line.MatchString(strings.TrimRight(line, " ")) {
			return fmt.Errorf("%s: %w", s.is, ErrNoLog)
		}
	}
	return nil
}
