// Package experiment defines what is measured and in which order.
package experiment

import (
	"fmt"
	"time"
)

// APIVersion and Kind open every experiment file.
const (
	APIVersion = "tarebench.io/v1alpha1"
	Kind       = "Experiment"
)

// Experiment is a file read, checked and completed with defaults. It is never
// changed afterwards. What an arm's target and the load's workload mean is for
// their owners to decode: this room knows no kinds.
type Experiment struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   Metadata `yaml:"metadata"`
	Database   Database `yaml:"database"`
	Data       Data     `yaml:"data"`
	Load       Load     `yaml:"load"`
	Protocol   Protocol `yaml:"protocol"`
	Baseline   string   `yaml:"baseline"`
	// Defaults are the settings that every arm of the file begins with.
	Defaults ArmDefaults `yaml:"defaults"`
	// Arms are those of the file, then those that Attribute or Remedies ask for.
	Arms      Arms       `yaml:"arms"`
	Attribute *Attribute `yaml:"attribute"`
	Remedies  Remedies   `yaml:"remedies"`
	// Hypotheses are the claims that the report judges.
	Hypotheses []Hypothesis `yaml:"hypotheses"`

	// Source is the text the experiment was read from, kept with the record.
	Source []byte `yaml:"-"`
	// WorkloadFile is the file that load.workload names, read when the experiment was and
	// kept with the record: a run does not depend on a file that is changed later. Nil
	// where the workload is a name or a script.
	WorkloadFile *Text `yaml:"-"`
	// Script is the text of the Lua script that load.workload names, read when the experiment
	// was and kept with the record, Name the file. sysbench runs the file itself, which finds
	// those beside it, so the text says whether it is still the same. Nil for other workloads.
	Script *Text `yaml:"-"`
	// at is where things stand in the file, for problems found later.
	at document
	// notes are the comments at the head of Source about what the command line changed.
	notes []string
}

// Text is a file that was read whole.
type Text struct {
	// Name is what messages call it.
	Name string
	Text []byte
}

// Metadata names the experiment; the name is part of the run directory's.
type Metadata struct {
	Name string `yaml:"name"`
}

// Database is the server: where its files come from (at most one of the four;
// none means a mysqld or mariadbd on PATH) and its options.
type Database struct {
	Image  string            `yaml:"image"`
	Rootfs string            `yaml:"rootfs"`
	OCI    string            `yaml:"oci"`
	Path   string            `yaml:"path"`
	Config map[string]string `yaml:"config"`
}

// Source is where the files come from, on one line; two servers with the same source are the same.
func (db Database) Source() string {
	return fmt.Sprintf("image %q, rootfs %q, oci %q, path %q", db.Image, db.Rootfs, db.OCI, db.Path)
}

// Data is what is put into the database once, before the first trial.
type Data struct {
	Tables int   `yaml:"tables"`
	Rows   int64 `yaml:"rows"`
	// Scale is in place of both where a workload has tables of its own: of tpcc the
	// number of warehouses. Tables and Rows are then 0.
	Scale int `yaml:"scale"`
	// Directory is where data directories are kept while a run is on: the disk
	// that is measured. Empty means tare's state directory.
	Directory string `yaml:"directory"`
	// Each is how every trial gets its data: EachCopy, EachRefill or EachKeep; "" copies
	// where a target can, and else refills if the workload writes.
	Each string `yaml:"each"`
	// From is a database of the user's that the data are taken from; nil: the workload
	// makes them.
	From *OwnData `yaml:"from"`
	// Schema is the schema of the data that the load works in; "" is tare's own.
	Schema string `yaml:"schema"`
}

// OwnData is where data of the user's come from: one of the three.
type OwnData struct {
	// Directory is a data directory that no server uses, or a prepared physical backup.
	Directory string `yaml:"directory"`
	// Dump is a file of statements, which may be compressed with gzip or zstd.
	Dump string `yaml:"dump"`
	// Clone is a MySQL server with the clone plugin.
	Clone *Clone `yaml:"clone"`
}

// Clone is a server that MySQL's clone plugin copies.
type Clone struct {
	Host         string `yaml:"host"`
	Port         int    `yaml:"port"`
	User         string `yaml:"user"`
	PasswordFile string `yaml:"passwordFile"`
	// TLS is verify-identity, verify-ca, required or off. Without it, the server's
	// certificate and name are verified unless the server is on this machine.
	TLS string `yaml:"tls"`
	// CA is a file with the certificates that are trusted; without one, those this system
	// trusts.
	CA string `yaml:"ca"`
}

// What Data.Each can be. EachCopy: every trial begins with a copy of the prepared data,
// on a server that has just started. EachRefill: the tables of a server that tare cannot
// give a copy are dropped and filled before every trial. EachKeep: they stay as the load
// leaves them, so that later trials meet more of it.
const (
	EachCopy   = "copy"
	EachRefill = "refill"
	EachKeep   = "keep"
)

// Load is what is asked of the database, and how.
type Load struct {
	Engine   string `yaml:"engine"`
	Workload string `yaml:"workload"`
	// Threads are the connections: of a closed loop all are busy, of an open one so
	// many transactions can be under way. Each value is one level, and every arm is
	// measured at every level.
	Threads Counts `yaml:"threads"`
	// Rate makes the loop an open one; 0 is the closed loop.
	Rate Rate `yaml:"rate"`
	// Limit is the most transactions per second that a closed loop begins, so that a
	// server of others is not loaded as hard as it can be; 0 is not a limit.
	Limit Rate `yaml:"limit"`
	// Reconnect is what clients do after a connection was lost.
	Reconnect Reconnect `yaml:"reconnect"`
	// Find searches every arm for its capacity; nil for a load of the given rate or threads.
	Find *Find `yaml:"find"`
	// Latency is the window at a fixed rate after that of a closed loop; nil for none.
	Latency *Latency `yaml:"latency"`
	// Percentile is the latency percentile of the per-second series.
	Percentile float64           `yaml:"percentile"`
	Options    map[string]string `yaml:"options"`
	// From is where the load of all arms comes from; nil leaves that to the arms.
	From *From `yaml:"from"`
}

// Reconnect is what clients do after a connection was lost or could not be made.
type Reconnect struct {
	// Delay is how long each attempt to connect is waited with. 0 is none before the first attempt, and a random time that
	// grows to 1 s before further ones.
	Delay Duration `yaml:"delay"`
}

// Protocol is how precisely it is measured.
type Protocol struct {
	// Kind is KindSlices or KindWindows; "" is windows.
	Kind string `yaml:"kind"`
	// Slice is the counted part of a turn, LeadIn the part before it that is not
	// counted. 0 and nil are computed; see Slices.
	Slice  Duration  `yaml:"slice"`
	LeadIn *Duration `yaml:"leadIn"`
	// Freeze is whether servers are frozen between their turns; nil is true where all of them can be.
	// Without, they are idle, and what they do in the background takes from the turns of others.
	Freeze  *bool    `yaml:"freeze"`
	Rounds  Rounds   `yaml:"rounds"`
	Warmup  Duration `yaml:"warmup"`
	Measure Duration `yaml:"measure"`
	// Ready bounds the wait for a server's first answer. An arm that is not
	// ready by then has an outcome, not an error.
	Ready Duration `yaml:"ready"`
	// Margin is the effect, as a ratio, below which two arms count as
	// equivalent. It is fixed before the run.
	Margin Percent `yaml:"margin"`
	// Precision is the wished half-width of the 95 % interval, as a ratio; 0
	// means a fixed number of rounds.
	Precision Percent `yaml:"precision"`
	// AA measures the baseline twice in every round; see Twice.
	AA *bool `yaml:"aa"`
	// Voids is how many rounds may be run again because an external factor
	// disturbed them; see Reruns.
	Voids *int `yaml:"voids"`
	// OthersCPU is the share of the machine's CPU time, as a ratio, that other processes and other virtual
	// machines may use: from there on no comparison has a verdict. nil is OthersLimit; see MostOthers.
	OthersCPU *Percent `yaml:"othersCPU"`
	// Order is how the order within rounds is drawn.
	Order Order `yaml:"order"`
	// Probes says whether machine and server are watched while the load runs:
	// ProbesOn, ProbesOff, or ProbesAlternate.
	Probes string `yaml:"probes"`
	Seed   uint64 `yaml:"seed"`
}

// What Protocol.Probes can be. ProbesAlternate leaves the baseline's second
// measurement in each round unwatched, so that the noise floor is what the
// probes cost.
const (
	ProbesOn        = "on"
	ProbesOff       = "off"
	ProbesAlternate = "alternate"
)

// Watched says whether a trial has its probes.
func (p Protocol) Watched(t Trial) bool {
	return p.Probes == ProbesOn || p.Probes == ProbesAlternate && !t.Again
}

// Arm is one way of running the database.
type Arm struct {
	Name   string
	Target string
	// Database is where the files of this arm's own server come from; nil: those of the experiment's
	// database. It has no options: those of an arm are in Config.
	Database *Database
	// Config are server options of this arm alone, laid over database.config.
	Config map[string]string
	// Price is what it costs; it gives the price of a million transactions.
	Price Price
	// Factors are numbers of the arm that were measured by other means.
	Factors Factors
	// Layers are those that are on; empty for an arm of the file.
	Layers []string
	// at is the arm's mapping, whose remaining fields belong to the target.
	at document
}

// Arms are in the order of the file.
type Arms []Arm

// Defaults are what an experiment means where it says nothing.
func Defaults() Experiment {
	return Experiment{
		Data: Data{Tables: 10, Rows: 100_000},
		Load: Load{Engine: "tare", Workload: "oltp_read_only", Threads: Counts{8}, Percentile: 95},
		Protocol: Protocol{
			Rounds:  Rounds{Pilot: 10, Max: 10},
			Warmup:  Duration(60 * time.Second),
			Measure: Duration(120 * time.Second),
			Ready:   Duration(120 * time.Second),
			Margin:  0.01,
			Order:   Random,
			Probes:  ProbesOn,
			Seed:    1,
		},
	}
}

// Arm returns the arm of that name.
func (e *Experiment) Arm(name string) (Arm, bool) {
	for _, a := range e.Arms {
		if a.Name == name {
			return a, true
		}
	}
	return Arm{}, false
}

// Server is where the files of an arm's server come from.
func (e *Experiment) Server(a Arm) Database {
	if a.Database != nil {
		return *a.Database
	}
	return e.Database
}

// Settings are the server's options for an arm: database.config with the arm's
// own laid over it.
func (e *Experiment) Settings(a Arm) map[string]string {
	all := map[string]string{}
	for k, v := range e.Database.Config {
		all[k] = v
	}
	for k, v := range a.Config {
		all[k] = v
	}
	return all
}
