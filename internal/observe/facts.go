package observe

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// facts are what rules ask of a trial besides its counters: variables, host, process, file
// system of the data, and how clients reach the server.
func (s Server) facts(ctx context.Context, place probe.Place) ([]record.Fact, error) {
	variables, err := mysqld.Variables(ctx, s.DB)
	if err != nil {
		return nil, fmt.Errorf("watch server: %w", err)
	}
	facts := []record.Fact{{Key: keys.WatchedLive, Value: "true", Source: "tare explain --live"}}
	for _, name := range sorted(variables) {
		facts = append(facts, record.Fact{Key: keys.MySQLVariablePrefix + name, Value: variables[name], Source: "SHOW GLOBAL VARIABLES"})
	}
	flavour := record.FlavourOf(variables["version"], variables["version_comment"])
	facts = append(append(facts, s.clients(ctx, flavour)), s.Known...)
	if s.PID == 0 {
		return facts, nil
	}
	facts = append(facts, node.HostFacts(s.Root)...)
	facts = append(facts, target.ProcessFacts(s.PID, "start")...)
	facts = append(facts, s.namespace(), s.dataFileSystem(place.DataDir))
	facts = append(facts, probe.Interfaces(place, "start")...)
	if shares, source, err := place.CPUShares(); err == nil {
		facts = append(facts, record.Fact{Key: keys.ServerCPUShares, Value: strconv.FormatFloat(shares, 'f', -1, 64), Source: source, Phase: "start"})
	}
	return facts, nil
}

func sorted(values map[string]string) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// endFacts are counters of the process, so that they have changed since the start.
func (s Server) endFacts() []record.Fact {
	if s.PID == 0 {
		return nil
	}
	return target.ProcessFacts(s.PID, "end")
}

// clients is "socket" if all sessions but this one come over the Unix socket. MariaDB is asked for its process list,
// where the host of a TCP connection has a port: its performance_schema is off by default, and has no sessions then.
func (s Server) clients(ctx context.Context, flavour string) record.Fact {
	f := record.Fact{Key: keys.NetworkClient, Source: "performance_schema.threads"}
	query := "SELECT COALESCE(SUM(CONNECTION_TYPE = 'Socket'), 0), COUNT(*) FROM performance_schema.threads" +
		" WHERE TYPE = 'FOREGROUND' AND CONNECTION_TYPE IS NOT NULL AND PROCESSLIST_ID <> CONNECTION_ID()"
	if flavour == record.MariaDB {
		f.Source = "information_schema.PROCESSLIST"
		query = "SELECT COALESCE(SUM(HOST NOT LIKE '%:%'), 0), COUNT(*) FROM information_schema.PROCESSLIST" +
			" WHERE COMMAND <> 'Daemon' AND USER NOT IN ('system user', 'event_scheduler') AND ID <> CONNECTION_ID()"
	}
	var socket, all int
	err := s.DB.QueryRowContext(ctx, query).Scan(&socket, &all)
	switch {
	case err != nil:
		f.Unknown = err.Error()
	case all == 0:
		f.Unknown = "no client is connected, or the account lacks PROCESS"
	case socket == all:
		f.Value = "socket"
	default:
		f.Value = "tcp"
	}
	return f
}

// namespace says whether the server has a network namespace of its own.
func (s Server) namespace() record.Fact {
	source := fmt.Sprintf("/proc/%d/ns/net", s.PID)
	f := record.Fact{Key: keys.ContainerNamespaceNet, Source: source}
	own, err := os.Readlink(source)
	// This process is in the host's, unless it is in a container itself; to read that of
	// process 1 needs a right that root in a container may lack (ptrace(2), PTRACE_MODE_READ).
	host, err2 := os.Readlink("/proc/self/ns/net")
	switch {
	case err != nil:
		f.Unknown = err.Error()
	case err2 != nil:
		f.Unknown = err2.Error()
	case own == host:
		f.Value = "the host's"
	default:
		f.Value = "its own"
	}
	return f
}

// dataFileSystem is the type of the file system of the data directory, as the server sees it.
func (s Server) dataFileSystem(dataDir string) record.Fact {
	path := fmt.Sprintf("/proc/%d/root%s", s.PID, dataDir)
	f := record.Fact{Key: keys.ContainerDataFilesystem, Source: "statfs " + path}
	kind, err := node.FileSystem(path)
	if err != nil {
		f.Unknown = err.Error()
	}
	f.Value = kind
	return f
}
