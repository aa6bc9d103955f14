package main

// This file finds experiments about work that is done outside of a server's turns, or by its clock: a frozen
// server's clock goes on (CLOCK_MONOTONIC; the freezer stops tasks, not time), so that with N arms N times as
// much of it falls into each second of load. A server that is not frozen does this work in the turns of others.

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/option"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/target"
)

// smallestRedo is the redo log below which checkpoints may decide the throughput of a load that
// writes, in bytes: a quarter of the smallest default (96 MiB, MariaDB).
const smallestRedo = 24 << 20

// With N servers in turns, a server's clock gives it N times as much flushing for each second of load, so that its log
// is never as full as under constant load, and what a small log costs does not show: with eight servers, one of 24 MiB
// was 17 % full where windows have 47 to 66 % (docs/results/calibration.md, Slices and windows). With two and 24 MiB,
// slices and windows agreed. A log of the usual size is not refused: it is not full by windows either on the machines
// that tare was measured on.
const (
	redoOfEach = smallestRedo / 2
	usualRedo  = 96 << 20
)

// byTheClock are the options of InnoDB that set what the page cleaner, the master thread and
// purge do each second (storage/innobase/buf/buf0flu.cc, srv/srv0srv.cc), and when a checkpoint
// has to be written.
func byTheClock() []string {
	return []string{
		"innodb_adaptive_flushing", "innodb_adaptive_flushing_lwm", "innodb_flush_log_at_timeout", "innodb_flushing_avg_loops",
		"innodb_idle_flush_pct", "innodb_io_capacity", "innodb_io_capacity_max", "innodb_log_file_size", "innodb_log_files_in_group",
		"innodb_lru_scan_depth", "innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm", "innodb_max_purge_lag",
		"innodb_page_cleaners", "innodb_purge_threads", "innodb_redo_log_capacity",
	}
}

// leftToTheKernel are the options that decide whether a server waits until its files are on the disk. What it
// does not wait for, the kernel writes later: in the turns of other servers. Without a sync at each
// commit, slices showed a throughput that was 11 % [1, 22] higher than windows did
// (docs/results/calibration.md, Slices and windows).
func leftToTheKernel() []string {
	return []string{"innodb_flush_log_at_trx_commit", "innodb_flush_method", "sync_binlog"}
}

// workByTheClock says which option of which arm makes the experiment one about work in the
// background, the server's or the kernel's, of a load that writes: one that not all arms have alike, or a small redo
// log.
func workByTheClock(job *runner.Job) *experiment.Reason {
	e := job.Experiment
	if len(e.Load.Threads) == 0 || !job.Load(e.Load.Threads[0]).Writes() {
		return nil
	}
	base, _ := e.Arm(e.Baseline)
	ofBase, _, _ := optionsOf(job, base)
	others, runs := underscored(ofBase), running(job, base) != nil
	for _, arm := range e.Arms {
		if (running(job, arm) != nil) != runs {
			return because("settings-unknown", "arm", arm.Name, "base", base.Name)
		}
		if programOf(job, arm) != programOf(job, base) {
			return because("other-server", "arm", arm.Name, "base", base.Name)
		}
		config, flavour, version := optionsOf(job, arm)
		own := underscored(config)
		for _, kind := range []struct {
			code    string
			options []string
		}{{"by-the-clock", byTheClock()}, {"left-to-the-kernel", leftToTheKernel()}} {
			for _, name := range kind.options {
				if own[name] != others[name] {
					return because(kind.code, "option", name, "arm", arm.Name)
				}
			}
		}
		redo, servers := mysqld.RedoLog(own, flavour, version), databasesAtOnce(e)
		if redo < smallestRedo {
			return because("small-redo", "arm", arm.Name, "redo", fmt.Sprint(redo>>20))
		}
		if least := min(int64(servers)*redoOfEach, usualRedo); redo < least {
			return because("redo-of-many", "arm", arm.Name, "redo", fmt.Sprint(redo>>20), "servers", fmt.Sprint(servers), "least", fmt.Sprint(least>>20))
		}
	}
	return nil
}

// running is what the server of an arm said that runs already; nil for one that tare starts.
func running(job *runner.Job, arm experiment.Arm) *target.Running {
	if place, ok := job.Targets[arm.Name]; ok {
		return place.Capabilities().Running
	}
	return nil
}

// programOf names what the server of an arm runs from.
func programOf(job *runner.Job, arm experiment.Arm) string {
	if place, ok := job.Targets[arm.Name]; ok {
		if program := place.Capabilities().Program; program != "" {
			return program
		}
	}
	return job.Of(arm.Name).Distribution.SHA256
}

// optionsOf are the options of an arm's server: all of one that runs already, else those that the file sets.
func optionsOf(job *runner.Job, arm experiment.Arm) (config map[string]string, flavour, version string) {
	if r := running(job, arm); r != nil {
		return r.Variables, r.Flavour, r.Version
	}
	server := job.Of(arm.Name).Distribution
	return job.Experiment.Settings(arm), server.Flavour, server.Version
}

// underscored are options by their names with underscores; those of a program's other spellings
// are the same (loose_, capitals).
func underscored(config map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range config {
		name = option.VariableName(name)
		if slices.Contains(byTheClock(), name) || slices.Contains(leftToTheKernel(), name) {
			all[name] = value
		}
	}
	return all
}
