package main

// This file compares the memory that the servers of a run take with their memory limits.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/runner"
)

// shortMemory is what servers take above their memory limit, and the arms that have them.
type shortMemory struct {
	limit int64
	// start is what the server takes before the first query, loaded what it takes with the data and the connections of the
	// experiment, busy the same with one buffer of each kind in use in every connection.
	start, loaded, busy int64
	// most is busy of the release that takes most, where the image names none: the limit that is advised holds that one too.
	most  int64
	parts []memory.Part
	arms  []string
	// assumed is the release that the estimate is for, where the arm's image names none; "" where it is known.
	assumed string
}

// checkMemory refuses an arm whose memory limit certainly does not hold its server, as `tare lint` does (M-BP-02): the
// server would be killed before a trial has measured anything.
func checkMemory(job *runner.Job, arm experiment.Arm) experiment.Problems {
	limit := job.Targets[arm.Name].Capabilities().MemoryLimit
	if limit == 0 || measuresMemory(job.Experiment) {
		return nil
	}
	if pool := bufferPool(job, arm); limit <= pool {
		return experiment.Problems{arm.Problem("memory", "the limit of %s cannot hold the buffer pool of %s; raise memory or lower innodb_buffer_pool_size",
			manifest.Size(limit), manifest.Size(pool))}
	}
	if s, short := memoryOf(job, arm); short && s.certain() && !shortOnPurpose(job.Experiment, arm) {
		return experiment.Problems{arm.Problem("memory", "%s", s.sentence())}
	}
	return nil
}

// shortOnPurpose is whether the memory is all that an arm changes of the baseline: what too little of it does is what such
// an arm measures.
func shortOnPurpose(e *experiment.Experiment, arm experiment.Arm) bool {
	baseline, ok := e.Arm(e.Baseline)
	return ok && arm.Name != e.Baseline && arm.SameBut(baseline, []string{"memory", "memoryRequest", "memoryLimit"})
}

// bufferPool is the buffer pool of an arm's servers, in bytes.
func bufferPool(job *runner.Job, arm experiment.Arm) int64 {
	server := job.Of(arm.Name).Distribution
	return mysqld.BufferPool(job.Experiment.Settings(arm), server.Flavour, server.Version)
}

// measuresMemory is whether a remedy of the experiment is for a buffer pool above the
// memory limit (M-BP-02): then the arms are as the files have it, and a server that is
// killed is what is measured.
func measuresMemory(e *experiment.Experiment) bool {
	return slices.ContainsFunc(e.Remedies, func(r experiment.Remedy) bool { return r.Rule == "M-BP-02" })
}

// shortOfMemory are the arms that are not refused and whose servers take more than their memory limit, alike ones
// together: the estimate has an error, and an arm can be meant to be killed, as in examples/faults.yaml.
func shortOfMemory(job *runner.Job) (all []shortMemory) {
	for _, arm := range job.Experiment.Arms {
		s, short := memoryOf(job, arm)
		if !short {
			continue
		}
		i := slices.IndexFunc(all, func(o shortMemory) bool {
			return o.limit == s.limit && o.start == s.start && o.busy == s.busy && o.assumed == s.assumed
		})
		if i < 0 {
			i, all = len(all), append(all, s)
		}
		all[i].arms = append(all[i].arms, arm.Name)
	}
	return all
}

// memoryOf is what the server of an arm takes, and whether that is more than its memory limit. Where the image names no
// release of MySQL, the server may be of one that takes more than the one that takes least.
func memoryOf(job *runner.Job, arm experiment.Arm) (s shortMemory, short bool) {
	flavour, version, known := productOf(job, arm)
	if job.Targets[arm.Name].Capabilities().MemoryLimit == 0 || !known {
		return s, false
	}
	s = memoryAs(job, arm, flavour, version)
	s.most = s.busy
	if flavour == mysqld.MySQL && strings.HasPrefix(version, "0.") {
		newest := memoryAs(job, arm, flavour, newestModel)
		newest.assumed, newest.most = "MySQL 8.4 or later", max(s.busy, newest.busy)
		if s.most = newest.most; s.busy <= s.limit {
			s = newest
		}
	}
	return s, s.busy > s.limit
}

// newestModel is the first release from which package memory has the figures of the newest.
const newestModel = "8.4.0"

// memoryAs is what the server of an arm takes if it is of this release.
func memoryAs(job *runner.Job, arm experiment.Arm, flavour, version string) (s shortMemory) {
	has := job.Targets[arm.Name].Capabilities()
	server := mysqld.Memory(job.Experiment.Settings(arm), flavour, version, int64(slices.Max(append([]int{1}, job.Experiment.Load.Threads...))))
	if has.HugePages > 0 { // they are part of the limit here
		server.HugePages = false
	}
	e := memory.Of(server)
	pool := e.Parts[0].Bytes
	// what a server reads and creates at its start (testdata/measured.tsv of package memory)
	empty := min(pool, 16<<20+pool/64)
	filled := pool
	if job.Experiment.Data.From == nil {
		filled = min(pool, empty+rowsBytes(job.Experiment))
	}
	s.limit, s.start, s.loaded = has.MemoryLimit, e.Full()-pool+empty, e.Full()+e.Connections*e.Idle-pool+filled
	s.busy = s.loaded + e.Connections*e.Busy
	e.Parts[0].Bytes = filled
	s.parts = append(e.Parts, memory.Part{Name: fmt.Sprintf("connections at work (%d)", e.Connections), Bytes: e.Connections * (e.Idle + e.Busy)})
	return s
}

// productOf is what the server of an arm is, as far as its files or its image say, with a version that begins with 0 where
// the image has none; known is false for one that an operator or somebody else has made, which sizes its memory itself.
func productOf(job *runner.Job, arm experiment.Arm) (flavour, version string, known bool) {
	kind, _ := findTarget(arm.Target)
	if kind.local {
		d := job.Of(arm.Name).Distribution
		return d.Flavour, d.Version, d.Version != ""
	}
	image, ok := strings.CutPrefix(job.Targets[arm.Name].Capabilities().Program, "image ")
	if !ok {
		return "", "", false
	}
	product, v, ok := manifest.ServerOfImage(image)
	if product == manifest.MariaDB {
		return mysqld.MariaDB, fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch), ok
	}
	return mysqld.MySQL, fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch), ok
}

// armsOf names the arms of all of them: "arm a", "arms a, b".
func armsOf(all []shortMemory) string {
	var names []string
	for _, s := range all {
		names = append(names, s.arms...)
	}
	if len(names) == 1 {
		return "arm " + names[0]
	}
	return "arms " + strings.Join(names, ", ")
}

// certain is whether the server takes so much more than its limit that the error of the estimate does not matter.
func (s shortMemory) certain() bool {
	return s.assumed == "" && (memory.Exceeds(s.start, s.limit) || memory.Exceeds(s.loaded, s.limit))
}

// line says what the kernel will do to the servers of the arms, with the figures.
func (s shortMemory) line() string { return armsOf([]shortMemory{s}) + ": " + s.sentence() }

func (s shortMemory) sentence() string {
	when := "the kernel may end it under this load"
	switch {
	case s.assumed == "" && memory.Exceeds(s.start, s.limit):
		when = "the kernel will end it before it answers"
	case s.start > s.limit:
		when = "the kernel may end it before it answers"
	case s.certain():
		when = "the kernel will end it under this load"
	}
	server := "mysqld"
	if s.assumed != "" {
		server = "the image names no release; if it is " + s.assumed + ", mysqld"
	}
	return fmt.Sprintf("%s takes up to about %dMi (%s), more than its memory limit of %s: %s. Raise the limit to %s, or set a smaller innodb_buffer_pool_size%s",
		server, (s.busy+1<<20-1)>>20, s.inWords(), manifest.Size(s.limit), when, manifest.Size(memory.Limit(s.most)), s.withoutSchema())
}

// withoutSchema is the change that gives most where performance_schema is on.
func (s shortMemory) withoutSchema() string {
	if slices.ContainsFunc(s.parts, func(p memory.Part) bool { return p.Name == "performance_schema" && p.Bytes > 0 }) {
		return " or performance_schema: OFF"
	}
	return ""
}

// inWords are the parts of the estimate that matter, the largest first.
func (s shortMemory) inWords() string {
	parts := slices.Clone(s.parts)
	slices.SortStableFunc(parts, func(a, b memory.Part) int { return cmp.Compare(b.Bytes, a.Bytes) })
	var words []string
	for _, p := range parts {
		if p.Bytes >= 8<<20 {
			words = append(words, fmt.Sprintf("%s %d", strings.Replace(p.Name, "server without these", "the rest of the server", 1), p.Bytes>>20))
		}
	}
	return strings.Join(words, ", ")
}

// uncheckedOf is what could not be checked of the arms' places.
func uncheckedOf(job *runner.Job) (all []string) {
	for _, arm := range job.Experiment.Arms {
		if what := job.Targets[arm.Name].Capabilities().Unchecked; what != "" && !slices.Contains(all, what) {
			all = append(all, what)
		}
	}
	return all
}

// readiness is the first line of what `tare check` says of an experiment.
func readiness(name string, short []shortMemory, broken []brokenManifests, misspelt int, unchecked []string) string {
	var found []string
	n := 0
	for _, s := range short {
		n += len(s.arms)
	}
	if n > 0 {
		found = append(found, fmt.Sprintf("%s %s too little memory for the server", language.English().Count(n, "arm"), map[bool]string{true: "has", false: "have"}[n == 1]))
	}
	if in := errorsIn(broken); in != "" {
		found = append(found, in)
	}
	if misspelt == 1 {
		found = append(found, "an option may be misspelt (warning below)")
	} else if misspelt > 1 {
		found = append(found, fmt.Sprintf("%d options may be misspelt (warnings below)", misspelt))
	}
	but := strings.Join(unchecked, ", and ")
	switch {
	case len(found) == 0 && but == "":
		return name + ": ready to run"
	case len(found) == 0:
		return name + ": ready to run, but " + but
	case but != "":
		found = append(found, but)
	}
	return name + ": can be run, but " + strings.Join(found, ", and ")
}
