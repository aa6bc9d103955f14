package memory

// This file is performance_schema: fixed tables by the size class that the server chooses, and the rows with statement
// texts, which dominate where somebody lengthens them (storage/perfschema/pfs_autosize.cc, pfs_digest.cc,
// pfs_events_statements.cc in MySQL; the same files in MariaDB).

// textLength is the default of performance_schema_max_digest_length and of performance_schema_max_sql_text_length.
const textLength = 1024

// Sized is s with the size class that performance_schema takes from these settings (pfs_autosize.cc). MySQL is small
// while none of them exceeds its old default, and its default table_open_cache of 4000 does; MariaDB has been
// measured small with 200 connections and large with 500.
func (s Server) Sized(connections, tableOpenCache, tableDefinitionCache int64) Server {
	if s.MariaDB {
		s.Large = connections > 302
		return s
	}
	s.Large = connections > 151 || tableOpenCache > 2000 || tableDefinitionCache > 400
	return s
}

// performanceSchema is its size in bytes.
func (s Server) performanceSchema() int64 {
	if !s.PerformanceSchema {
		return 0
	}
	digest, text := orElse(s.DigestLength, textLength), orElse(s.TextLength, textLength)
	digests, history := int64(10000), int64(10000)
	if !s.Large {
		digests, history = 5000, 1000
	}
	digests, history = orElse(s.DigestRows, digests), orElse(s.HistoryRows, history)
	// about 5120 rows more: the statements of every thread, with those that they are nested in and its history
	rows := history*1510 + (history+5120)*(digest+text)
	switch {
	case s.oldMariaDB() && s.Large: // it allocates for every possible connection
		return 470*mib + digests*(511+digest) + rows/2
	case s.MariaDB:
		return 76*mib + digests*(511+digest) + rows
	case s.Major == 5 && s.Large:
		return 81*mib + digests*(511+digest) + rows
	case s.Major == 5:
		return 62*mib + digests*(511+digest) + rows
	case s.Large: // a row of a digest has a sample of the statement as well
		return 140*mib + digests*(4228+digest+text) + rows
	}
	return 100*mib + digests*(4228+digest+text) + rows
}

func orElse(n, or int64) int64 {
	if n > 0 {
		return n
	}
	return or
}
