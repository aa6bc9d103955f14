package main

// This file plans data.from before anything is started: what the data are, the space that
// the copies take, and the time.

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/workload/file"
)

// dataPlan is what the restoring of a user's database takes.
type dataPlan struct {
	size     backup.Size
	name     string // of the source
	dir      string // where the copies are made
	free     int64
	known    bool // free was read
	restored bool // by an earlier run
	// shared says that the restored copy shares its blocks with the source, linked that the
	// trials' copies share theirs with the restored one.
	shared, linked bool
	origin         backup.Origin // of a dump
	members        int           // of the arm with most, beside the first
	servers        int64         // of the run: the data are restored once for each
	unasked        bool          // the donor of a clone was not asked for its size
	err            error
}

// planData looks at the source, once for each command: a directory is listed, a dump is not
// read, and a server is asked unless offline. It returns nil without data.from.
func planData(ctx context.Context, job *runner.Job, offline bool) *dataPlan {
	from := job.Experiment.Data.From
	if from == nil {
		return nil
	}
	p := &dataPlan{dir: dataDirectory(job)}
	switch {
	case from.Directory != "":
		p.name = from.Directory
		p.size, p.err = backup.Directory(from.Directory)
		p.shared = p.err == nil && backup.Reflinks(filepath.Join(from.Directory, "ibdata1"), p.dir)
	case from.Dump != "":
		p.name = from.Dump
		p.size, p.err = backup.Dump(from.Dump)
		p.origin = backup.Of(from.Dump)
	case from.Clone != nil:
		p.name = "clone of " + from.Clone.Host
		if p.unasked = offline; offline {
			return p
		}
		p.size, p.err = backup.Donor(ctx, *from.Clone)
	}
	p.linked = backup.Reflinks("", p.dir)
	p.free, p.known = backup.Free(p.dir)
	p.servers = preparedData(job)
	p.restored = p.err == nil && job.Restored()
	for _, place := range job.Targets {
		p.members = max(p.members, place.Capabilities().Copies)
	}
	return p
}

func dataDirectory(job *runner.Job) string {
	return cmp.Or(job.Experiment.Data.Directory, job.State.Dir)
}

// needs is how many bytes the copies take while so many servers are there at once, with room
// for the logs that each server writes. What else the load writes is not known.
func (p dataPlan) needs(servers int) (bytes int64) {
	if !p.restored && !p.shared {
		bytes += max(1, p.servers) * p.size.Bytes
	}
	each := int64(besideRows)
	if !p.linked {
		each += p.size.Bytes
	}
	return bytes + int64(servers*(1+p.members))*each
}

// shortOf says what keeps so many copies from fitting; "" if nothing does.
func (p dataPlan) shortOf(servers int) string {
	if p.err != nil || !p.known || p.needs(servers) <= p.free {
		return ""
	}
	return fmt.Sprintf("the copies of the data need %s, and %s are free in %s", gib(p.needs(servers)), gib(p.free), p.dir)
}

// serversOf is how many servers of a planned run are there at once.
func serversOf(job *runner.Job) int {
	if job.Plan.Protocol == nil || job.Plan.Protocol.Kind == experiment.KindWindows {
		return 1
	}
	return databasesAtOnce(job.Experiment)
}

// checkSource says what is wrong with data.from, before anything is started.
func checkSource(job *runner.Job, p *dataPlan) experiment.Problems {
	e := job.Experiment
	if p == nil {
		return checkOwnTables(job)
	}
	var problems experiment.Problems
	for _, arm := range e.Arms {
		if place, ok := job.Targets[arm.Name]; ok && place.Data() != target.Files {
			problems = append(problems, e.Problem("data.from", "the servers of arm %s have data of their own; targets process and container begin with a copy of data.from", arm.Name))
		}
	}
	if p.err != nil {
		problem := e.Problem("data.from", "%s", p.err)
		problem.Unavailable = mysqld.Lost(p.err)
		return append(problems, problem)
	}
	for _, server := range dataServers(job) {
		if why := p.origin.RefusedBy(server.Flavour); why != "" {
			problems = append(problems, e.Problem("data.from", "%s refuses the dump %s: %s", serverText(server), p.name, why))
		}
	}
	if why := p.shortOf(serversOf(job)); why != "" {
		problems = append(problems, e.Problem("data.from", "%s; free some (tare clean removes what killed runs left), or name another disk with data.directory", why))
	}
	return problems
}

// dataServers are the servers that the data are restored in, each once; not those of which nothing is known.
func dataServers(job *runner.Job) (all []mysqld.Distribution) {
	for _, arm := range job.Experiment.Arms {
		server := job.Of(arm.Name).Distribution
		place, ok := job.Targets[arm.Name]
		if ok && place.Data() == target.Files && server.Server != "" && !slices.ContainsFunc(all, func(d mysqld.Distribution) bool { return d.SHA256 == server.SHA256 }) {
			all = append(all, server)
		}
	}
	return all
}

// checkOwnTables refuses a workload file that makes no tables, such as a captured one, for servers that
// begin empty: every statement would be refused after the servers have started.
func checkOwnTables(job *runner.Job) experiment.Problems {
	e := job.Experiment
	if e.WorkloadFile == nil {
		return nil
	}
	w, err := file.Parse(e.WorkloadFile.Name, e.WorkloadFile.Text)
	if err != nil {
		return nil //nolint:nilerr // the engine's check says so, with the places
	}
	if len(w.Tables) > 0 || !w.Data.Own && !readsTables(w) {
		return nil
	}
	for _, arm := range e.Arms {
		place, ok := job.Targets[arm.Name]
		switch {
		case !ok:
		case arm.Target == "kubernetes":
			return experiment.Problems{e.Problem("load.workload", "the file makes no tables, and the server of arm %s begins empty: target kubernetes restores no data; compare servers of targets process and container with data: {from: ..., schema: ...}, or add tables to the file", arm.Name)}
		case arm.Target == "external" && unqualified(w):
			return experiment.Problems{e.Problem("load.workload", "the file makes no tables, and the schema of tare on the server of arm %s is empty; send the file to the schema that has its tables with `tare load FILE run --mysql-db=SCHEMA`, one server after the other, or compare servers of targets process and container with data: {from: ..., schema: ...}", arm.Name)}
		case place.Data() == target.Files:
			return experiment.Problems{e.Problem("load.workload", "the file makes no tables, and the servers of arm %s begin empty; add data: {from: ..., schema: ...}, or tables to the file", arm.Name)}
		}
	}
	return nil
}

// tableNamed finds a table, and the dot after the name of a schema: after FROM, JOIN or INTO, or in an UPDATE.
var tableNamed = regexp.MustCompile("(?i)(?:\\b(?:from|join|into)|^\\s*update)\\s+`?[\\w$]+`?(\\s*\\.)?")

// unqualified says whether a statement is of a table of the schema that the load works in, which tare makes empty on a server
// that runs. Of a common table expression it says nothing: its own names look the same.
func unqualified(w *file.Workload) bool {
	return anyStatement(w, func(sql string) bool {
		return !strings.HasPrefix(strings.ToLower(strings.TrimSpace(sql)), "with") &&
			slices.ContainsFunc(tableNamed.FindAllStringSubmatch(sql, -1), func(m []string) bool { return m[1] == "" })
	})
}

// readsTables says whether a statement reads a table that is not the server's own.
func readsTables(w *file.Workload) bool {
	return anyStatement(w, func(sql string) bool {
		sql = strings.ToLower(sql)
		return strings.Contains(sql, " from ") && !strings.Contains(sql, "_schema.") && !strings.Contains(sql, " from dual")
	})
}

// anyStatement says whether the SQL of a statement is such.
func anyStatement(w *file.Workload, such func(sql string) bool) bool {
	return slices.ContainsFunc(w.Transactions, func(t file.Transaction) bool {
		return slices.ContainsFunc(t.Statements, func(s file.Statement) bool { return such(s.SQL) })
	})
}

// copyRate is a rate at which disks of servers copy files. `tare check` says with its times
// that they follow from it.
const copyRate = 200 << 20

// dataLines are what `tare check` says of the restoring.
func dataLines(job runner.Job, p *dataPlan) []string {
	if p == nil {
		return nil
	}
	if p.unasked {
		return []string{"data: " + p.name + "; the server was not asked for their size: --offline"}
	}
	about := ""
	if p.size.Estimated {
		about = "about "
	}
	line := fmt.Sprintf("data: %s, %s%s", p.name, about, gib(p.size.Bytes))
	if p.size.Files > 1 {
		line += fmt.Sprintf(" in %d files", p.size.Files)
	}
	switch {
	case p.restored:
		line += "; restored by an earlier run"
	case p.shared:
		line += "; restored once, sharing blocks with the original (reflink)"
	default:
		line += "; restored once" + atRate(p.size.Bytes)
	}
	copied := p.size.Bytes * int64(1+p.members)
	each := fmt.Sprintf("each server has a copy%s", atRate(copied))
	if n := len(job.Plan.Trials); atRate(copied) != "" {
		each += fmt.Sprintf("; all %d trials%s, beside the time of the load", n, atRate(copied*int64(n)))
	}
	if p.linked {
		each = "each server has a copy that shares blocks (reflink) and takes only what the load writes"
	}
	lines := []string{line, each, fmt.Sprintf("space: %s of %s free in %s", gib(p.needs(serversOf(&job))), gib(p.free), p.dir)}
	for _, server := range dataServers(&job) {
		if p.origin.Other(server.Flavour) {
			lines = append(lines, fmt.Sprintf("attention: the dump is from %s, and the server is %s, which may refuse a statement of it; the run would end while it restores the data", p.origin.From(), serverText(server)))
		}
	}
	return lines
}

// atRate is the time of a copy; "" where that is less than a second.
func atRate(bytes int64) string {
	took := time.Duration(float64(bytes) / copyRate * float64(time.Second)).Round(time.Second)
	if took == 0 {
		return ""
	}
	return fmt.Sprintf(", %s at 200 MiB/s", took)
}

// gib is a size in the unit that people read.
func gib(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}
