package external

import (
	"context"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Facts are what the server says of itself, and what cannot be known of a
// machine that one has no access to. The server's variables are not among
// them: the runner reads those of every target.
func (s *server) Facts(ctx context.Context, phase string) []record.Fact {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	facts := []record.Fact{
		{Key: keys.ExternalAddress, Value: s.settings.where(), Source: "experiment.yaml"},
		s.ask(ctx, keys.ExternalVersion, "SELECT CONCAT(@@version, ' ', @@version_comment)"),
		// A restart or failover between start and end shows in these two.
		s.ask(ctx, keys.ExternalHost, "SELECT @@hostname"),
		s.status(ctx, keys.ExternalUptimeS, "Uptime"),
		// Who else uses it: connections and statements beyond tare's own.
		s.status(ctx, keys.ExternalConnections, "Threads_connected"),
		s.status(ctx, keys.ExternalQuestions, "Questions"),
		s.session(ctx, keys.ExternalTLSVersion, "Ssl_version"),
		s.session(ctx, keys.ExternalTLSCipher, "Ssl_cipher"),
	}
	facts = append(facts, s.settings.declared()...)
	facts = append(facts, unknowable()...)
	for i := range facts {
		facts[i].Phase = phase
	}
	return facts
}

// declared are what the experiment says of the server's machine.
func (s Settings) declared() []record.Fact {
	const source = "experiment.yaml"
	var facts []record.Fact
	for _, f := range []struct {
		key, value string
		given      bool
	}{
		{"type", s.Instance.Type, s.Instance.Type != ""},
		{"cpu", s.Instance.CPU.String(), s.Instance.CPU != 0},
		{"memory", s.Instance.Memory.String(), s.Instance.Memory != 0},
		{"iops", strconv.Itoa(s.Instance.IOPS), s.Instance.IOPS != 0},
		{"zones", strconv.Itoa(s.Instance.Zones), s.Instance.Zones != 0},
		{"price", s.Price.String(), s.Price != 0},
	} {
		if f.given {
			facts = append(facts, record.Fact{Key: keys.ExternalInstancePrefix + f.key, Value: f.value, Source: source})
		}
	}
	return facts
}

// unknowable are the facts that the other targets have.
func unknowable() []record.Fact {
	const reason = string(record.ForeignHost)
	var facts []record.Fact
	for _, key := range []string{
		keys.ServerExe, keys.ServerCgroup, keys.ServerCPUsAllowed, keys.ServerLimits, keys.ServerOOMScoreAdj, keys.ServerSeccomp,
		keys.ServerRSS, keys.ServerUTimeTicks, keys.ServerSTimeTicks, keys.ServerRunNS, keys.ServerRunQueueWaitNS,
		keys.ServerNonvoluntarySwitches, keys.ServerIOWriteBytes, keys.CgroupCPU, keys.CgroupMemory,
		keys.ExternalNeighbours, keys.ExternalStorage, keys.ExternalCPUs,
	} {
		facts = append(facts, record.Fact{Key: key, Unknown: reason})
	}
	return facts
}

func (s *server) ask(ctx context.Context, key, query string) record.Fact {
	f := record.Fact{Key: key, Source: query}
	if err := s.db.QueryRowContext(ctx, query).Scan(&f.Value); err != nil {
		f.Value, f.Unknown = "", err.Error()
	}
	return f
}

func (s *server) status(ctx context.Context, key, name string) record.Fact {
	return s.show(ctx, key, "SHOW GLOBAL STATUS LIKE '"+name+"'")
}

func (s *server) session(ctx context.Context, key, name string) record.Fact {
	return s.show(ctx, key, "SHOW SESSION STATUS LIKE '"+name+"'")
}

// show reads the second column of the one row that query has.
func (s *server) show(ctx context.Context, key, query string) record.Fact {
	f := record.Fact{Key: key, Source: query}
	var name string
	if err := s.db.QueryRowContext(ctx, query).Scan(&name, &f.Value); err != nil {
		f.Value, f.Unknown = "", err.Error()
	}
	return f
}
