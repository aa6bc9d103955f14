package packets

// This file says in sentences what a capture does not show.

import "fmt"

// Seen is what a capture has and what could not be read of it.
type Seen struct {
	// Version is the server's, "" if no greeting was captured.
	Version string
	// First and Last are the times of the server's first and last packets, in milliseconds
	// since 1970.
	First, Last float64
	// Packets are all packets of the file, Segments those of the server's port.
	Packets, Segments float64
	// Connections are those of the port, Servers the addresses of that side. Of connections,
	// Encrypted and so on were not read.
	Connections, Servers, Encrypted, Compressed, Replicas, Twice, Reused, Unreadable, Beyond int
	// Midway are connections whose beginning the file does not have.
	Midway int
	// Statements were read, Unanswered of them without an answer, NoValues without the values
	// of their parameters.
	Statements, Unanswered, NoValues float64
	// ClientBytes are those that clients sent to the server, ReadBytes those of commands that were read.
	ClientBytes, ReadBytes float64
	// CutOff are commands with a statement of which the end was not captured.
	CutOff float64
	// Statements that were not read: too long, prepared before the capture or in an answer
	// that is not in the file, or MariaDB's bulk executions.
	TooLong, NotPrepared, Bulk float64
	// Holes are places where packets are missing, Lost the bytes. Cut are packets that were
	// captured in part, Fragments those of IP. Strange are packets that the protocol does not
	// have in their place.
	Holes     int
	Lost      float64
	Cut       float64
	Fragments float64
	Strange   float64
	// Unknown are packets whose frame is not read, Link the number of the link type of the last one. Timeless are
	// packets of the port that have no time.
	Unknown, Timeless float64
	Link              int
	Incomplete        bool // the file ends within a packet
}

// Unread is the number of statements that are known not to have been read.
func (s *Seen) Unread() float64 { return s.TooLong + s.NotPrepared + s.Bulk + s.CutOff }

// Notes are sentences about what the capture does not show.
func (s *Seen) Notes() []string {
	var notes []string
	note := func(n float64, format string, args ...any) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, append([]any{n}, args...)...))
		}
	}
	note(float64(s.Encrypted), "%.0f of %d connections use TLS. Their statements are not read and not counted: only the coverage by bytes has them.", s.Connections)
	note(float64(s.Compressed), "%.0f of %d connections use compression. Their statements are not read and not counted: only the coverage by bytes has them.", s.Connections)
	note(float64(s.Replicas), "%.0f of %d connections are those of replicas. They are not read.", s.Connections)
	note(float64(s.Unreadable), "%.0f of %d connections could not be read: they began before the capture and have no whole command, or use another form of the protocol.", s.Connections)
	note(float64(s.Twice), "%.0f of %d connections were captured twice, at two addresses. They are counted once.", s.Connections)
	note(float64(s.Reused), "%.0f connections began with the addresses and ports of another whose end is not in the file. They are not read.")
	note(float64(s.Beyond), "%.0f packets belong to connections beyond the first %d that are open at once. They are not read.", mostConnections)
	note(float64(s.Midway), "%.0f of %d connections began before the capture. What they prepared before, and their schema, are not known.", s.Connections)
	note(s.NotPrepared, "%.0f executions of prepared statements have a COM_STMT_PREPARE that is not in the file.")
	note(s.TooLong, "%.0f statements are longer than 1 MiB, or there was no room to keep them.")
	note(s.CutOff, "%.0f statements have no end in the file, because packets were captured in part or are missing.")
	note(s.Bulk, "%.0f executions have many rows of parameters at once (COM_STMT_BULK_EXECUTE).")
	note(s.NoValues, "%.0f executions have parameters whose values could not be read. They are counted, and the skew of their parameters is not known.")
	note(s.Unanswered, "%.0f statements have no answer in the file: their latency and rows are not known.")
	note(float64(s.Holes), "In %.0f places packets are missing (%.0f bytes). Statements in them are not read and not counted.", s.Lost)
	note(s.Cut, "%.0f packets were captured in part: capture whole packets (tcpdump -s 0).")
	note(s.Unknown, "%.0f packets have a frame that is not read (link type %d).", s.Link)
	note(s.Timeless, "%.0f packets have no time (simple packet blocks of pcapng): latencies and rates are not known.")
	note(s.Fragments, "%.0f IP fragments are not read.")
	note(s.Strange, "%.0f packets do not follow the protocol. The connection is read again from its next command.")
	if s.Servers > 1 {
		notes = append(notes, fmt.Sprintf("The connections are to %d servers with the same port. The file has the workload of all of them.", s.Servers))
	}
	if s.Incomplete {
		notes = append(notes, "The file ends within a packet.")
	}
	return notes
}

// UnreadBytes are those that clients sent and that are in no command that was read.
func (s *Seen) UnreadBytes() float64 { return max(0, s.ClientBytes-s.ReadBytes) }
