package diagnose

// The cases of the rules of the probes' counters.

import (
	"cmp"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// seenBy is what an arm showed: counters a transaction (at 100 transactions/s of
// 10 ms each), levels (and the largest value of one, as "most NAME"), and facts.
type seenBy struct {
	each, level map[string]float64
	rate        map[string]float64 // a second, where that is not 100 times each
	facts       map[string]string
}

// arm makes an arm out of it.
func (s seenBy) arm(name string) *compare.Arm {
	a := &compare.Arm{Name: name, Threads: 8, Latency: &compare.Latency{Mean: 10}}
	for metric, v := range s.each {
		perSecond := cmp.Or(s.rate[metric], 100*v)
		a.Counters = append(a.Counters, compare.Counter{Metric: record.Metric{Name: metric, Counter: true}, PerTransaction: v, PerSecond: perSecond, Total: 10 * perSecond, Trials: 1})
	}
	if run := s.each["server.session.run_ns"] + s.each["server.background.run_ns"]; run > 0 {
		wait := s.each["server.session.wait_ns"] + s.each["server.background.wait_ns"]
		a.Counters = append(a.Counters, compare.Counter{Metric: compare.WaitPerCPU(), Mean: wait / run, Change: math.NaN()})
	}
	for metric, v := range s.level {
		if strings.HasPrefix(metric, "most ") {
			continue
		}
		most := cmp.Or(s.level["most "+metric], v)
		a.Counters = append(a.Counters, compare.Counter{Metric: record.Metric{Name: metric}, Mean: v, Max: most, PerTransaction: math.NaN(), PerSecond: math.NaN()})
	}
	trial := &record.Trial{Header: record.Header{Trial: 1}}
	trial.Window = &record.Window{Seconds: 10}
	for key, v := range s.facts {
		if why, lost := strings.CutPrefix(v, "lost: "); lost {
			trial.Facts = append(trial.Facts, record.Fact{Key: key, Unknown: why})
			continue
		}
		if before, after, ok := strings.Cut(v, " to "); ok {
			trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: before, Phase: "start"}, record.Fact{Key: key, Value: after, Phase: "end"})
			continue
		}
		trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: v})
		if strings.HasSuffix(key, ".oom_kill") {
			kills, _ := strconv.ParseFloat(v, 64)
			e := compare.Evidence{Key: key, Change: kills}
			if strings.HasPrefix(v, "once") {
				e = compare.Evidence{Key: key, Change: math.NaN(), Value: "1"}
			}
			a.Evidence = append(a.Evidence, e)
		}
	}
	a.Trials = []*record.Trial{trial}
	return a
}

type (
	nums = map[string]float64
	said = map[string]string
)

// with is values in which others are added or replaced.
func with[V any](values, others map[string]V) map[string]V {
	all := maps.Clone(values)
	maps.Copy(all, others)
	return all
}

// counterCase is what an arm with settings showed, and what a rule makes of it.
type counterCase struct {
	rule     Rule
	settings string
	saw      seenBy
	want     Verdict
	change   string
}

// counterCases are those of the rules of the probes' counters, with what the baseline
// showed in all of them. The figures that fire and are silent are of runs with the fault
// and without (testdata/effects/explain.txtar of cmd/tare and examples/faults.yaml make such
// runs), or close to a threshold.
func counterCases() (cases []counterCase, base seenBy) {
	const pod = "{target: container, qos: BestEffort}"
	const inCluster = "{target: kubernetes, image: m, address: service}"
	dur := func(trx, sync string) said {
		return said{keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": trx, keys.MySQLVariablePrefix + "sync_binlog": sync}
	}
	live := func(facts said) said {
		facts[keys.WatchedLive] = "true"
		return facts
	}
	capacity := func(bytes string) said { return said{keys.MySQLVariablePrefix + "innodb_redo_log_capacity": bytes} }
	oldRedo := said{keys.MySQLVariablePrefix + "innodb_redo_log_capacity": "104857600", keys.MySQLVariablePrefix + "innodb_log_file_size": "2147483648", keys.MySQLVariablePrefix + "innodb_log_files_in_group": "2"}
	own := said{"container.namespace.net": "its own"}
	base = seenBy{
		each:  nums{"mysql.innodb_os_log_fsyncs": 0.01, "mysql.file.binlog.sync_count": 0, "mysql.statements.count": 16, "mysql.innodb_buffer_pool_pages_flushed": 0.2},
		facts: said{keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "2", keys.MySQLVariablePrefix + "sync_binlog": "0", keys.MySQLVariablePrefix + "innodb_doublewrite": "OFF", keys.MySQLVariablePrefix + "log_bin": "OFF", "client.round_trip_ns": "20000", "client.connect_ns": "100000", "client.session_ns": "400000", "server.cpus_allowed": "0-2,5"},
	}
	hole := said{"client.round_trip_ns": "60000", "client.large_round_trip_ns": "lost: no answer within 3s\nreceive: i/o timeout", "container.namespace.net": "its own"}
	none := nums{"ip.fragments": 0, "ip.fragmentation_failures": 0, "ip.reassembled": 0}
	waits := nums{"server.session.run_ns": 4e5, "server.session.wait_ns": 3e5, "server.background.run_ns": 1e5, "server.background.wait_ns": 1e5}
	fewWaits := nums{"server.session.run_ns": 4e5, "server.session.wait_ns": 3e4, "server.background.run_ns": 1e5, "server.background.wait_ns": 1e4}
	others := with(waits, nums{"cgroup.cpu.usage_ns": 5e6, "host.cpu.user_ns": 1e7, "host.cpu.system_ns": 1e6})
	rules := func(connect string) said { return said{"client.connect_ns": connect} }
	cpus := func(allowed string) said { return said{"server.cpus_allowed": allowed} }
	const many = "{target: container, network: {plugin: bridge}, service: {proxy: iptables, others: 5000}}"
	return []counterCase{
		{cIO01(), "{target: container, io: gp3}", seenBy{each: nums{"cgroup.io.writes": 29.1}, level: nums{"cgroup.io.write_iops_limit": 3000}}, Confirmed, "{io: null}"},
		{cIO01(), pod, seenBy{each: nums{"cgroup.io.writes": 8.4}, level: nums{"cgroup.io.write_iops_limit": 3000}}, RuledOut, ""},
		{cIO01(), pod, seenBy{each: nums{"cgroup.io.writes": 29}}, Unknown, ""},
		{cIO01(), pod, seenBy{each: nums{"cgroup.io.writes": 29}, facts: said{"container.data.filesystem": "tmpfs"}}, RuledOut, ""},
		{cIO01(), pod, seenBy{each: nums{"cgroup.io.writes": 29, "disk.busy_ns": 4.9e6}}, RuledOut, ""},
		{cIO01(), pod, seenBy{each: nums{"cgroup.io.writes": 29, "disk.busy_ns": 5.1e6}}, Unknown, ""},
		{cIO01(), "{target: external, host: db}", seenBy{each: nums{"mysql.innodb_data_reads": 10, "mysql.innodb_data_writes": 4.9}, facts: said{"external.instance.iops": "3000"}}, RuledOut, ""},
		{cIO01(), "{target: external, host: db}", seenBy{each: nums{"mysql.innodb_data_reads": 10, "mysql.innodb_data_writes": 5.1}, facts: said{"external.instance.iops": "3000"}}, Unknown, ""},
		{cIO01(), "{target: external, host: db}", seenBy{each: nums{"mysql.innodb_data_reads": 10, "mysql.innodb_data_writes": 15.6}, facts: said{"external.instance.iops": "3000", keys.MySQLVariablePrefix + "innodb_flush_method": "O_DIRECT", keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "1"}}, Confirmed, ""},
		{cIO01(), "{target: external, host: db}", seenBy{each: nums{"mysql.innodb_data_reads": 10, "mysql.innodb_data_writes": 15.6}, facts: said{"external.instance.iops": "3000", keys.MySQLVariablePrefix + "innodb_flush_method": "O_DIRECT", keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "2"}}, Unknown, ""},
		{cIO01(), "{target: external, host: db}", seenBy{each: nums{"mysql.innodb_data_reads": 10, "mysql.innodb_data_writes": 15.6}, facts: said{"external.instance.iops": "3000", keys.MySQLVariablePrefix + "innodb_flush_method": "fsync", keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "1"}}, Unknown, ""},
		// Few operations, of 16 KiB and more, at the bandwidth of the volume.
		{cIO01(), inCluster, seenBy{each: nums{"mysql.innodb_data_reads": 79, "mysql.innodb_data_writes": 0, "mysql.innodb_data_read": 79 << 14, "mysql.innodb_data_written": 0}, facts: said{"pod.volume.parameter.type": "gp3", "pod.volume.parameter.iops": "16000"}}, Unknown, ""},
		{cIO01(), inCluster, seenBy{each: nums{"mysql.innodb_data_reads": 79, "mysql.innodb_data_writes": 0, "mysql.innodb_data_read": 79 << 14, "mysql.innodb_data_written": 0}, facts: said{"pod.volume.provisioner": "ebs.csi.aws.com", "pod.volume.parameter.iops": "16000"}}, Unknown, ""},
		{cIO01(), inCluster, seenBy{each: nums{"mysql.innodb_data_reads": 79, "mysql.innodb_data_writes": 0, "mysql.innodb_data_read": 79 << 14, "mysql.innodb_data_written": 0}, facts: said{"pod.volume.provisioner": "kubernetes.io/aws-ebs", "pod.volume.parameter.iops": "16000"}}, Unknown, ""},
		{cIO01(), inCluster, seenBy{each: nums{"mysql.innodb_data_reads": 79, "mysql.innodb_data_writes": 0, "mysql.innodb_data_read": 79 << 14, "mysql.innodb_data_written": 0}, facts: said{"pod.volume.parameter.type": "gp3", "pod.volume.parameter.iops": "16000", "pod.volume.parameter.throughput": "500"}}, RuledOut, ""},
		{cIO01(), "{target: external, host: db}", seenBy{each: nums{"mysql.innodb_data_reads": 10, "mysql.innodb_data_writes": 15.6}}, Unknown, ""},
		{cIO01(), inCluster, seenBy{each: nums{"cgroup.io.reads": 10, "cgroup.io.writes": 24.1}, facts: said{"pod.volume.parameter.iops": "4000"}}, Confirmed, ""},
		{cIO01(), inCluster, seenBy{each: nums{"cgroup.io.reads": 10, "cgroup.io.writes": 23.9}, facts: said{"pod.volume.parameter.iops": "4000"}}, Unknown, ""},
		{cIO01(), inCluster, seenBy{each: nums{"cgroup.io.reads": 10, "cgroup.io.writes": 15.6}, facts: said{"pod.volume.provisioner": "ebs.csi.aws.com", "pod.volume.parameter.type": "gp3"}}, Confirmed, ""},
		{cIO01(), inCluster, seenBy{each: nums{"cgroup.io.reads": 10, "cgroup.io.writes": 15.6}, facts: said{"pod.volume.provisioner": "ebs.csi.aws.com", "pod.volume.parameter.type": "io2"}}, Unknown, ""},
		// Its bandwidth was not read.
		{cIO01(), inCluster, seenBy{each: nums{"mysql.innodb_data_reads": 10, "mysql.innodb_data_writes": 4}, facts: said{"pod.volume.provisioner": "ebs.csi.aws.com"}}, Unknown, ""},
		{cIO01(), inCluster, seenBy{each: nums{"mysql.innodb_data_reads": 10, "mysql.innodb_data_writes": 4, "mysql.innodb_data_read": 10 << 14, "mysql.innodb_data_written": 4 << 14}, facts: said{"pod.volume.provisioner": "ebs.csi.aws.com"}}, RuledOut, ""},
		{cIO01(), "{target: container, io: {writeIOPS: 30}}", seenBy{facts: said{"unready.seconds": "20.03", "unready.cgroup.io.writes": "590", "unready.cgroup.io.reads": "976", "unready.cgroup.io.write_iops_limit": "30"}}, Confirmed, "{io: null}"},
		{cIO01(), "{target: container, io: {writeIOPS: 300}}", seenBy{facts: said{"unready.seconds": "20.03", "unready.cgroup.io.writes": "590", "unready.cgroup.io.write_iops_limit": "300"}}, RuledOut, ""},
		{cIO01(), pod, seenBy{facts: said{"unready.seconds": "20.03", "unready.cgroup.io.writes": "590"}}, Unknown, ""},
		{cIO01(), pod, seenBy{}, Unknown, ""},

		// A pod of a cluster, of which nothing but the probes beside it tell.
		{cCPU01(), "{target: kubernetes, cpu: 500m}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0.1, "cgroup.cpu.nr_throttled": 0.04}, facts: said{keys.NodeAllocatableCPU: "4"}}, Confirmed, "{cpu: max}"},
		// cpu: max needs the list of nodes; where no node was read, the change is an amount.
		{cCPU01(), "{target: kubernetes, cpu: 500m}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0.1, "cgroup.cpu.nr_throttled": 0.04}}, Confirmed, "{cpu: 1}"},
		{cCPU01(), "{target: kubernetes, cpu: 1500m}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0.1, "cgroup.cpu.nr_throttled": 0.04}, facts: said{keys.PodCPULimit: "1500m"}}, Confirmed, "{cpu: 3}"},
		{cCPU01(), "{target: kubernetes, cpu: 500m, cpuRequest: 100m}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0.1, "cgroup.cpu.nr_throttled": 0.04}}, Confirmed, "{cpu: null}"},
		{cCPU01(), "{target: kubernetes, manifests: deploy/}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0.1, "cgroup.cpu.nr_throttled": 0.04}}, Confirmed, ""},
		{cCPU01(), "{target: kubernetes, cpu: 2}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0.1, "cgroup.cpu.nr_throttled": 0.0001}}, RuledOut, ""},
		{cCPU01(), "{target: process}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0.1, "cgroup.cpu.nr_throttled": 0.04}}, Confirmed, ""},
		{cCPU01(), "{target: kubernetes}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0, "cgroup.cpu.nr_throttled": 0}}, RuledOut, ""},
		{cCPU01(), "{target: kubernetes, cpu: 2}", seenBy{each: nums{"cgroup.cpu.nr_periods": 0, "cgroup.cpu.nr_throttled": 0}, level: nums{"cgroup.cpu.limit": 2}}, Unknown, ""},
		{cCPU03(), "{target: kubernetes, neighbour: {cpu: 2}}", seenBy{each: waits}, Confirmed, ""},
		{cCPU03(), "{target: kubernetes, neighbour: {cpu: 2}, memory: 1Gi}", seenBy{each: waits, facts: said{keys.NodeAllocatableCPU: "4"}}, Confirmed, "{qos: Guaranteed, cpu: max}"},
		{cCPU03(), "{target: kubernetes, neighbour: {cpu: 2}, memory: 1Gi}", seenBy{each: with(waits, nums{"server.cpu.user_ns": 8e5, "server.cpu.system_ns": 2e5})}, Confirmed, "{qos: Guaranteed, cpu: 1}"},
		{cCPU03(), "{target: kubernetes, neighbour: {cpu: 2}, memory: 1Gi, memoryRequest: 512Mi}", seenBy{each: waits}, Confirmed, ""},
		// A server that another program loads: its shares and what others ran decide.
		{cCPU03(), pod, seenBy{each: others, facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "2"}}, Confirmed, ""},
		{cCPU03(), pod, seenBy{each: others, facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "1024"}}, Unknown, ""},
		{cCPU03(), pod, seenBy{each: waits, facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "2"}}, Unknown, ""},
		// It has nearly all that is used, or CPUs are idle: its threads wait for each other.
		{cCPU03(), pod, seenBy{each: with(waits, nums{"cgroup.cpu.usage_ns": 1.55e8, "host.cpu.user_ns": 1.5e8, "host.cpu.system_ns": 8e6}), facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "2"}}, Unknown, ""},
		{cCPU03(), pod, seenBy{each: with(others, nums{"host.cpu.idle_ns": 5e6}), facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "2"}}, Unknown, ""},
		{cCPU03(), pod, seenBy{each: with(others, nums{"host.cpu.idle_ns": 5e5}), facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "2"}}, Confirmed, ""},
		{cCPU03(), pod, seenBy{each: with(others, nums{"cgroup.cpu.nr_periods": .1, "cgroup.cpu.nr_throttled": .0001}), facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "2"}}, Confirmed, ""},
		{cCPU03(), pod, seenBy{each: fewWaits, facts: said{keys.WatchedLive: "true", keys.ServerCPUShares: "2"}}, RuledOut, ""},
		{cCPU03(), "{target: kubernetes}", seenBy{each: fewWaits}, RuledOut, ""},
		{kMEM10(), "{target: kubernetes, memory: 512Mi}", seenBy{each: nums{"cgroup.memory.at_limit": 0.5}, level: nums{"cgroup.memory.limit_bytes": 512 << 20}}, Confirmed, "{memory: 1024Mi}"},
		{kMEM10(), "{target: kubernetes, manifests: deploy/}", seenBy{each: nums{"cgroup.memory.at_limit": 0.5}, level: nums{"cgroup.memory.limit_bytes": 512 << 20}}, Confirmed, ""},

		{cLOCK01(), pod, seenBy{facts: live(waitingFor("3", "4", "0"))}, Confirmed, ""},
		{cLOCK01(), pod, seenBy{facts: live(with(waitingFor("3", "4", "0"), said{"watched.locks.row.holder": "lost: denied"}))}, Confirmed, ""},
		{cLOCK01(), pod, seenBy{facts: live(waitingFor("3", "0", "0"))}, RuledOut, ""},
		{cLOCK01(), pod, seenBy{facts: live(waitingFor("1", "4", "0"))}, Unknown, ""},
		{cLOCK01(), pod, seenBy{facts: live(said{})}, Unknown, ""},
		{cLOCK01(), pod, seenBy{facts: live(with(waitingFor("3", "0", "0"), said{"watched.locks.metadata.waiting": "lost: denied"}))}, Unknown, ""},
		// An account without PROCESS sees that none of its own sessions waits, which says nothing of others.
		{cLOCK01(), pod, seenBy{facts: live(with(waitingFor("3", "0", "0"), said{"watched.own-only": "true", "watched.locks.metadata.waiting": "0"}))}, Unknown, ""},
		{cLOCK01(), pod, seenBy{facts: live(with(waitingFor("3", "0", "12"), said{"watched.own-only": "true"}))}, Confirmed, ""},
		// The whole span of 10 s, and less than that.
		{cLOCK01(), pod, seenBy{facts: live(waitingFor("3", "0", "12"))}, Confirmed, ""},
		{cLOCK01(), pod, seenBy{facts: live(waitingFor("3", "0", "4"))}, RuledOut, ""},
		// Waits that ended: 0.6 and 0.4 sessions on average.
		{cLOCK01(), pod, seenBy{each: nums{"mysql.innodb_row_lock_time": 6}, facts: live(waitingFor("3", "0", "0"))}, Confirmed, ""},
		{cLOCK01(), pod, seenBy{each: nums{"mysql.innodb_row_lock_time": 4}, facts: live(waitingFor("3", "0", "0"))}, RuledOut, ""},

		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 1e6, "mysql.file.binlog.sync_count": 0.5, "mysql.file.binlog.sync_ns": 1e6}, facts: live(dur("1", "1"))}, Confirmed, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 1.05e6}, facts: live(dur("1", "0"))}, Confirmed, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 0.95e6}, facts: live(dur("1", "0"))}, RuledOut, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.04, "mysql.file.redo.sync_ns": 1e6, "mysql.file.binlog.sync_count": 0, "mysql.file.binlog.sync_ns": 0}, facts: live(dur("1", "1"))}, RuledOut, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 4e6}, facts: live(dur("2", "0"))}, RuledOut, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 4e6, "mysql.file.binlog.sync_count": 0.06, "mysql.file.binlog.sync_ns": 1.3e5}, facts: live(dur("2", "1"))}, Confirmed, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 4e6, "mysql.file.binlog.sync_count": 0.04, "mysql.file.binlog.sync_ns": 1.3e5}, facts: live(dur("2", "1"))}, RuledOut, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 4e6, "mysql.file.binlog.sync_count": 0.5, "mysql.file.binlog.sync_ns": 4e6}, facts: live(dur("2", "0"))}, RuledOut, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 4e6, "cgroup.cpu.nr_periods": 0.1, "cgroup.cpu.nr_throttled": 0.04}, facts: live(dur("1", "1"))}, Unknown, ""},
		{cIO02(), pod, seenBy{facts: live(dur("1", "1"))}, Unknown, ""},
		// a MariaDB that does not time its redo log
		{cIO02(), pod, seenBy{each: nums{"mysql.file.data.read_ns": 0, "mysql.file.binlog.sync_ns": 0, "mysql.file.binlog.sync_count": 0}, facts: live(dur("1", "1"))}, Unknown, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.data.read_ns": 0, "mysql.file.binlog.sync_ns": 0, "mysql.file.binlog.sync_count": 0}, facts: live(dur("2", "0"))}, RuledOut, ""},
		// Most transactions are reads with autocommit: their mean is shorter than an fsync.
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 5.1e6}, facts: live(dur("1", "0"))}, Unknown, ""},
		// The fsyncs of a binary log that were not read are not none.
		{cIO02(), pod, seenBy{facts: live(dur("2", "1"))}, Unknown, ""},
		{cIO02(), pod, seenBy{facts: live(dur("0", "1"))}, Unknown, ""},
		{cIO02(), pod, seenBy{facts: live(dur("2", "0"))}, RuledOut, ""},
		{cIO02(), pod, seenBy{facts: live(with(dur("2", "1"), said{keys.MySQLVariablePrefix + "log_bin": "ON"}))}, Unknown, ""},
		{cIO02(), pod, seenBy{facts: live(with(dur("2", "1"), said{keys.MySQLVariablePrefix + "log_bin": "OFF"}))}, RuledOut, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 0.95e6}, facts: live(dur("1", "1"))}, Unknown, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.04, "mysql.file.redo.sync_ns": 1e6}, facts: live(dur("1", "1"))}, Unknown, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 1.05e6}, facts: live(dur("1", "1"))}, Confirmed, ""},
		{cIO02(), pod, seenBy{each: nums{"mysql.file.redo.sync_count": 0.5, "mysql.file.redo.sync_ns": 0.95e6}, facts: live(with(dur("1", "1"), said{keys.MySQLVariablePrefix + "log_bin": "OFF"}))}, RuledOut, ""},
		{cIO02(), pod, seenBy{facts: live(said{})}, Unknown, ""},

		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.2}, level: nums{"mysql.redo_age": 7.1e6}, facts: capacity("8388608")}, Confirmed, "{config: {innodb_redo_log_capacity: 2G}}"},
		{cIO04(), pod, seenBy{level: nums{"mysql.redo_age": 17.7e6}, facts: capacity("104857600")}, RuledOut, ""},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 3}, level: nums{"mysql.redo_age": 5.2e6}, facts: capacity("8388608")}, Confirmed, "{config: {innodb_redo_log_capacity: 2G}}"},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.5}, level: nums{"mysql.redo_age": 5.2e6}, facts: capacity("8388608")}, RuledOut, ""},
		{cIO04(), pod, seenBy{facts: capacity("104857600")}, Unknown, ""},
		// The old options are in effect, and innodb_redo_log_capacity shows its default.
		{cIO04(), pod, seenBy{level: nums{"mysql.redo_age": 600 << 20, "mysql.innodb_redo_log_capacity_resized": 4 << 30}, facts: oldRedo}, RuledOut, ""},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.2}, level: nums{"mysql.redo_age": 3300 << 20, "mysql.innodb_redo_log_capacity_resized": 4 << 30}, facts: oldRedo}, Confirmed, "{config: {innodb_redo_log_capacity: 16G}}"},
		{cIO04(), pod, seenBy{level: nums{"mysql.redo_age": 600 << 20}, facts: oldRedo}, Unknown, ""},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.2}, level: nums{"mysql.redo_age": 6.7e9}, facts: capacity("8589934592")}, Confirmed, "{config: {innodb_redo_log_capacity: 16G}}"},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.2}, level: nums{"mysql.redo_age": 3.35e9}, facts: said{keys.MySQLVariablePrefix + "innodb_log_file_size": "2147483648", keys.MySQLVariablePrefix + "innodb_log_files_in_group": "2"}}, Confirmed, "{config: {innodb_log_file_size: 8G}}"},
		// As large as a redo log is made.
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.2}, level: nums{"mysql.redo_age": 13.6e9}, facts: capacity("17179869184")}, Confirmed, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 12, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 2.2e6},
			facts: said{keys.MySQLVariablePrefix + "innodb_buffer_pool_size": "5242880"}}, Confirmed, "{config: {innodb_buffer_pool_size: 20M}}"},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 0.06, "mysql.innodb_buffer_pool_read_requests": 2, "mysql.file.data.read_ns": 4e6},
			level: nums{"mysql.innodb_buffer_pool_pages_free": 4200, "mysql.innodb_buffer_pool_pages_total": 8192}}, RuledOut, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 0.06, "mysql.innodb_buffer_pool_read_requests": 2, "mysql.file.data.read_ns": 4e6},
			level: nums{"mysql.innodb_buffer_pool_pages_free": 4000, "mysql.innodb_buffer_pool_pages_total": 8192}}, Confirmed, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 0.001, "mysql.innodb_buffer_pool_read_requests": 300}}, RuledOut, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 2, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 2e5}}, RuledOut, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 2, "mysql.innodb_buffer_pool_read_requests": 300}}, Unknown, ""},
		{cBP01(), pod, seenBy{}, Unknown, ""},
		// At most 2944M fit into the memory limit of the first, and no more than 256M into that of the second.
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 12, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 2.2e6}, level: nums{"cgroup.memory.limit_bytes": 4 << 30},
			facts: said{keys.MySQLVariablePrefix + "innodb_buffer_pool_size": "1073741824"}}, Confirmed, "{config: {innodb_buffer_pool_size: 2944M}}"},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 12, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 2.2e6}, level: nums{"cgroup.memory.limit_bytes": 1 << 30},
			facts: said{keys.MySQLVariablePrefix + "innodb_buffer_pool_size": "268435456"}}, Confirmed, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 12, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 2.2e6}, level: nums{"cgroup.memory.limit_bytes": 8 << 30},
			facts: said{keys.MySQLVariablePrefix + "innodb_buffer_pool_size": "2147483648", keys.MySQLVariablePrefix + "max_connections": "800"}}, Confirmed, "{config: {innodb_buffer_pool_size: 4992M}}"},
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.5, "mysql.file.binlog.sync_count": 0.4}, facts: dur("1", "1")}, Confirmed,
			"{config: {innodb_flush_log_at_trx_commit: 2, sync_binlog: 0}}"},
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.01, "mysql.file.binlog.sync_count": 0}, facts: dur("1", "1")}, RuledOut, ""},
		// Without performance_schema a difference of the binary log is not seen, but one of the redo log is, and
		// a server without a binary log syncs none.
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.01}, facts: dur("2", "1")}, Unknown, ""},
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.01}, facts: said{keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "2", keys.MySQLVariablePrefix + "log_bin": "ON"}}, Unknown, ""},
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.01}, facts: said{keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "2", keys.MySQLVariablePrefix + "sync_binlog": "1", keys.MySQLVariablePrefix + "log_bin": "OFF", keys.MySQLVariablePrefix + "innodb_doublewrite": "OFF"}}, RuledOut, ""},
		{mDUR01(), pod, seenBy{facts: base.facts}, RuledOut, ""},
		// Settings that were not read are not the same.
		{mDUR01(), pod, seenBy{facts: dur("2", "0")}, Unknown, ""},
		{mDUR01(), pod, seenBy{facts: dur("1", "1")}, Unknown, ""},
		{mDUR01(), pod, seenBy{}, Unknown, ""},
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.01}, facts: said{keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "2", keys.MySQLVariablePrefix + "innodb_doublewrite": "ON"}}, Unknown, ""},
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.5}, facts: said{keys.MySQLVariablePrefix + "innodb_flush_log_at_trx_commit": "2", keys.MySQLVariablePrefix + "log_bin": "ON"}}, Confirmed, "{config: {skip_log_bin: \"\"}}"},
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{facts: said{"cgroup.container.memory.oom_control.oom_kill": "1", "pod.memory.limit": "512Mi"}}, Confirmed, "{memory: 1024Mi}"},
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{each: nums{"cgroup.memory.at_limit": 0.4}, level: nums{"cgroup.memory.limit_bytes": 512 << 20}}, Confirmed, "{memory: 1024Mi}"},
		{kMEM10(), "{target: container, memoryLimit: 512Mi}", seenBy{facts: said{"cgroup.container.memory.oom_control.oom_kill": "1"}}, Confirmed, "{memoryLimit: false}"},
		{kMEM10(), "{target: container, memory: 1Gi}", seenBy{facts: said{"cgroup.container.memory.events.oom_kill": "once, before it was ready", "pod.memory.limit": "1Gi"}}, Confirmed, "{memory: 2Gi}"},
		{kMEM10(), "{target: container, memory: 500M}", seenBy{facts: said{"cgroup.container.memory.oom_control.oom_kill": "1", "pod.memory.limit": "500M"}}, Confirmed, ""},
		{kMEM10(), pod, seenBy{each: nums{"cgroup.memory.oom_kills": 0.001}, facts: live(said{})}, Confirmed, ""},
		{kMEM10(), pod, seenBy{each: nums{"cgroup.memory.oom_kills": 0, "cgroup.memory.at_limit": 0}, facts: live(said{})}, RuledOut, ""},
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{facts: said{"cgroup.container.memory.oom_control.oom_kill": "0"}}, Unknown, ""},
		// The levels above the pod count the kills of its neighbour, and a neighbour's own are not the server's.
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{each: nums{"cgroup.memory.at_limit": 0}, facts: said{"cgroup.kubepods.memory.events.oom_kill": "3", "cgroup.burstable.memory.events.oom_kill": "3", "neighbour.cgroup.pod.memory.events.oom_kill": "3", "cgroup.pod.memory.events.oom_kill": "0"}}, RuledOut, ""},
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{facts: said{"cgroup.pod.memory.events.oom_kill": "1", "pod.memory.limit": "512Mi"}}, Confirmed, "{memory: 1024Mi}"},
		{kMEM10(), "{target: process}", seenBy{each: nums{"cgroup.memory.at_limit": 0.5}, level: nums{"cgroup.memory.limit_bytes": 512 << 20}}, Confirmed, ""},
		{kMEM10(), pod, seenBy{facts: said{keys.WatchedMemory: "lost: its cgroup is gone"}}, Unknown, ""},
		{kMEM10(), pod, seenBy{each: nums{"cgroup.memory.at_limit": 0}, level: nums{"cgroup.memory.limit_bytes": 512 << 20}}, RuledOut, ""},
		{kMEM10(), pod, seenBy{each: nums{"cgroup.memory.at_limit": 0}}, RuledOut, ""},
		{kMEM10(), pod, seenBy{}, Unknown, ""},
		// What is in tmpfs counts as cache and cannot be reclaimed; a measured wait of next to nothing is none.
		{kMEM10(), "{target: container, volume: tmpfs, memory: 512Mi}", seenBy{each: nums{"cgroup.memory.at_limit": 0.4}, level: nums{"cgroup.memory.limit_bytes": 512 << 20, "cgroup.memory.cache_bytes": 60 << 20}, facts: said{"container.data.filesystem": "tmpfs"}}, Confirmed, "{memory: 1024Mi}"},
		{kMEM10(), pod, seenBy{each: nums{"cgroup.memory.at_limit": 0.4, "cgroup.pressure.memory.some_ns": 1e3}, level: nums{"cgroup.memory.limit_bytes": 512 << 20, "cgroup.memory.cache_bytes": 60 << 20}}, RuledOut, ""},
		// Page cache of files that are written once meets any limit, and nobody waits.
		{kMEM10(), pod, seenBy{each: nums{"cgroup.memory.at_limit": 0.4}, level: nums{"cgroup.memory.limit_bytes": 512 << 20, "cgroup.memory.cache_bytes": 60 << 20}}, Unknown, ""},
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{each: nums{"cgroup.memory.at_limit": 0.4}, level: nums{"cgroup.memory.limit_bytes": 512 << 20, "cgroup.memory.cache_bytes": 50 << 20}}, Confirmed, "{memory: 1024Mi}"},
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{each: nums{"cgroup.memory.at_limit": 0.4, "cgroup.pressure.memory.some_ns": 1.1e5}, level: nums{"cgroup.memory.limit_bytes": 512 << 20, "cgroup.memory.cache_bytes": 60 << 20}}, Confirmed, "{memory: 1024Mi}"},
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.spurious": 0, "tcp.sent_segments": 20, "tcp.retransmitted": 0.2, "tcp.timeouts": 0.1}, facts: own}, Confirmed, "{network: {loss: null}}"},
		{cNET04(), pod, seenBy{each: nums{"tcp.sent_segments": 20, "tcp.retransmitted": 0.2}}, Unknown, ""},
		{cNET04(), "{target: process, client: other-node, network: {loss: 2%}}", seenBy{each: nums{"tcp.spurious": 0, "tcp.sent_segments": 20, "tcp.retransmitted": 0.2}, facts: said{"network.client": "other-node", "network.node.link.eth0": "veth"}}, Confirmed, "{network: {loss: null}}"},
		{cNET04(), pod, seenBy{each: nums{"tcp.sent_segments": 20, "tcp.retransmitted": 0.2}, facts: said{"network.client": "socket"}}, RuledOut, ""},
		{cNET04(), pod, seenBy{each: nums{"tcp.sent_segments": 20, "tcp.retransmitted": 0.001}}, RuledOut, ""},
		{cNET04(), pod, seenBy{each: nums{"tcp.sent_segments": 20, "tcp.retransmitted": 0.34, "tcp.tail_probes": 0.34, "tcp.spurious": 0.34}, facts: own}, RuledOut, ""},
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.sent_segments": 20, "tcp.retransmitted": 8}, facts: hole}, Unknown, ""},
		{cNET04(), pod, seenBy{each: nums{"tcp.sent_segments": 0, "tcp.retransmitted": 0}}, RuledOut, ""},
		// Which of them the peer received twice was not read: few are few, and many may be none.
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.sent_segments": 20, "tcp.retransmitted": 0.2}, facts: own}, Unknown, ""},
		{cNET04(), pod, seenBy{}, Unknown, ""},
		{cNET05(), pod, seenBy{each: nums{"mysql.connections": 1.01}, facts: said{keys.MySQLVariablePrefix + "skip_name_resolve": "OFF"}}, Confirmed, "{config: {skip_name_resolve: ON}}"},
		{cNET05(), "{target: container, reconnect: 1}", seenBy{each: nums{"mysql.connections": 1}, facts: said{keys.MySQLVariablePrefix + "skip_name_resolve": "ON", "client.session_ns": "900000"}}, Confirmed, "{reconnect: null}"},
		{cNET05(), "{target: container, reconnect: 1}", seenBy{each: nums{"mysql.connections": 1}, facts: said{keys.MySQLVariablePrefix + "skip_name_resolve": "OFF", "client.session_ns": "900000"}}, Confirmed, "{reconnect: null}"},
		{cNET05(), "{target: container, reconnect: 1}", seenBy{each: nums{"mysql.connections": 1}, facts: said{keys.MySQLVariablePrefix + "skip_name_resolve": "OFF", "client.session_ns": "8000000"}}, Confirmed, "{config: {skip_name_resolve: ON}}"},
		{cNET05(), pod, seenBy{each: nums{"mysql.connections": 0.0003}}, RuledOut, ""},
		{cNET05(), pod, seenBy{each: nums{"mysql.connections": 0.015}}, RuledOut, ""},
		{cNET05(), pod, seenBy{}, Unknown, ""},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "the busiest loop ran for 98 % of the window"}}, Confirmed, ""},
		{pCLIENT01(), "{target: container, clientCPU: 200m}", seenBy{facts: said{"load.invalid": "the generator's CPU quota held it up for 1.58 s of 8.00 s"}}, Confirmed, "{clientCPU: null}"},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "a loop was busy for 93 % of the window", "load.throttled_s": "0", "gate.foreign_s": "100 to 107.5", "gate.machine_s": "500 to 513"}}, Unknown, ""},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "a loop was busy for 93 % of the window", "gate.foreign_s": "100 to 100.1", "gate.machine_s": "500 to 513"}}, Confirmed, ""},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "its quota held it up", "load.throttled_s": "2", "gate.foreign_s": "100 to 107.5", "gate.machine_s": "500 to 513"}}, Confirmed, ""},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "a loop was busy for 99 % of the window", "load.pod.0.qos": "BestEffort", "load.run_queue_s": "7.9", "load.cpu_user_s": "0.2", "load.cpu_system_s": "1.7"}}, Confirmed, "{clientCPURequest: 500m}"},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "a loop was busy for 99 % of the window", "load.pod.0.qos": "BestEffort", "load.run_queue_s": "0.9", "load.cpu_user_s": "0.9", "load.cpu_system_s": "3.1"}}, Confirmed, ""},
		{pCLIENT01(), pod, seenBy{facts: said{"load.busiest_loop": "0.31"}}, RuledOut, ""},
		{pCLIENT01(), pod, seenBy{}, Unknown, ""},
		{kMEM09(), pod, seenBy{level: nums{"cgroup.memory.huge_bytes": 400 << 20, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "always"}}, Confirmed, "{hugePages: never}"},
		{kMEM09(), pod, seenBy{each: nums{"host.compaction_stalls": 0}, level: nums{"cgroup.memory.huge_bytes": 0, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "always"}}, RuledOut, ""},
		{kMEM09(), pod, seenBy{level: nums{"cgroup.memory.huge_bytes": 400 << 20, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "madvise"}}, RuledOut, ""},
		{kMEM09(), pod, seenBy{level: nums{"cgroup.memory.huge_bytes": 0, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "always"}}, Unknown, ""},
		{kMEM09(), pod, seenBy{level: nums{"cgroup.memory.huge_bytes": 0, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "never"}}, RuledOut, ""},
		{kMEM09(), pod, seenBy{}, Unknown, ""},
		{cCPU06(), pod, seenBy{each: nums{"host.cpu.system_ns": 0, "host.cpu.irq_ns": 0, "host.cpu.steal_ns": 1e6, "host.cpu.user_ns": 15e6, "host.cpu.idle_ns": 4e6}}, Confirmed, ""},
		{cCPU06(), pod, seenBy{each: nums{"host.cpu.system_ns": 0, "host.cpu.irq_ns": 0, "host.cpu.steal_ns": 1e4, "host.cpu.user_ns": 15e6, "host.cpu.idle_ns": 4e6}}, RuledOut, ""},
		{cCPU06(), pod, seenBy{each: nums{"host.cpu.steal_ns": 1e6, "host.cpu.idle_ns": 4e6}}, Unknown, ""},
		{cCPU06(), pod, seenBy{}, Unknown, ""},
		{cNET01(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"mysql.statements.count": 16}, facts: said{"client.round_trip_ns": "420000"}}, Confirmed, "{network: null, service: null}"},
		{cNET01(), pod, seenBy{each: nums{"mysql.statements.count": 16}, facts: said{"client.round_trip_ns": "45000"}}, RuledOut, ""},
		{cNET01(), pod, seenBy{each: nums{"mysql.statements.count": 16}}, Unknown, ""},
		{cNET01(), inCluster, seenBy{facts: said{keys.SlicesFrozen: "yes", "load.pod.0.node": "n1"}}, Unknown, ""},
		{kNET06(), "{target: container, network: {plugin: bridge, mtu: 9000}}", seenBy{each: nums{"ip.fragments": 3, "ip.fragmentation_failures": 0, "ip.reassembled": 0}, facts: own}, Confirmed, "{network: {mtu: 1400}}"},
		{kNET06(), "{target: container, network: {plugin: bridge, mtu: 1500}}", seenBy{facts: hole}, Confirmed, "{network: {mtu: 1400}}"},
		{kNET06(), "{target: container, network: {plugin: bridge}}", seenBy{each: none, facts: said{"network.node.ip.fragments": "10 to 4000", "container.namespace.net": "its own"}}, Confirmed, "{network: {mtu: 1400}}"},
		{kNET06(), "{target: container, network: {plugin: bridge}}", seenBy{each: none, facts: said{"network.node.ip.fragmentation_failures": "0 to 4", "network.node.ip.fragments": "3 to 3", "container.namespace.net": "its own"}}, RuledOut, ""},
		{kNET06(), pod, seenBy{each: nums{"ip.fragments": 3, "ip.fragmentation_failures": 0, "ip.reassembled": 0}}, Unknown, ""},
		{kNET06(), pod, seenBy{each: nums{"ip.fragments": 0, "ip.fragmentation_failures": 0, "ip.reassembled": 0}}, RuledOut, ""},
		{kNET06(), pod, seenBy{each: none, facts: said{keys.WatchedLive: "true", "container.namespace.net": "its own"}}, Unknown, ""},
		{kNET06(), pod, seenBy{each: none, facts: said{keys.WatchedLive: "true", "container.namespace.net": "the host's"}}, RuledOut, ""},
		{kNET06(), pod, seenBy{}, Unknown, ""},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1}, level: nums{"cgroup.cpu.limit": 2}, facts: said{keys.MySQLVariablePrefix + "innodb_read_io_threads": "32"}}, Confirmed, "{config: {innodb_read_io_threads: 2}}"},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1}, level: nums{"cgroup.cpu.limit": 2}, facts: said{keys.MySQLVariablePrefix + "innodb_read_io_threads": "4", keys.MySQLVariablePrefix + "thread_pool_size": "64"}}, RuledOut, ""},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 0}}, RuledOut, ""},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1}, level: nums{"cgroup.cpu.limit": 2}}, Unknown, ""},
		{mCPU01(), pod, seenBy{}, Unknown, ""},
		// A pod whose node is not read: its settings are known.
		{mCPU01(), inCluster, seenBy{facts: said{keys.PodCPULimit: "150m", keys.MySQLVariablePrefix + "innodb_read_io_threads": "32"}}, Confirmed, "{config: {innodb_read_io_threads: 1}}"},
		{mCPU01(), inCluster, seenBy{facts: said{keys.PodCPULimit: "none"}}, RuledOut, ""},
		{kCFS02(), inCluster, seenBy{facts: said{keys.PodCPULimit: "150m"}}, Confirmed, "{cpu: 1}"},
		{kCFS02(), "{target: kubernetes, image: m, cpu: 500m, cpuRequest: 100m}", seenBy{facts: said{keys.PodCPULimit: "500m"}}, Confirmed, "{cpu: null}"},
		{kCFS02(), "{target: kubernetes, image: m, cpuRequest: 100m}", seenBy{facts: said{keys.PodCPULimit: "500m", keys.PodAskedCPULimit: "none"}}, Confirmed, "{cpu: 1}"},
		{kCFS02(), "{target: kubernetes, manifests: deploy/}", seenBy{facts: said{keys.PodCPULimit: "999m"}}, Confirmed, ""},
		{kCFS02(), inCluster, seenBy{facts: said{keys.PodCPULimit: "1"}}, Unknown, ""},
		{kCFS02(), inCluster, seenBy{facts: said{keys.PodCPULimit: "4"}}, Unknown, ""},
		{kCFS02(), inCluster, seenBy{facts: said{keys.PodCPULimit: "none"}}, RuledOut, ""},
		{mCPU02(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1, "mysql.innodb_os_log_written": 700}, level: nums{"cgroup.cpu.limit": 1}, facts: said{keys.MySQLVariablePrefix + "innodb_log_writer_threads": "ON"}}, Confirmed, "{config: {innodb_log_writer_threads: OFF}}"},
		{mCPU02(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1, "mysql.innodb_os_log_written": 700}, level: nums{"cgroup.cpu.limit": 8}, facts: said{keys.MySQLVariablePrefix + "innodb_log_writer_threads": "ON"}}, RuledOut, ""},
		{mCPU02(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1, "mysql.innodb_os_log_written": 700}, level: nums{"cgroup.cpu.limit": 1}, facts: said{keys.MySQLVariablePrefix + "innodb_log_writer_threads": "OFF"}}, RuledOut, ""},
		{mCPU02(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1, "mysql.innodb_os_log_written": 0}, level: nums{"cgroup.cpu.limit": 1}, facts: said{keys.MySQLVariablePrefix + "innodb_log_writer_threads": "ON"}}, RuledOut, ""},
		{mCPU02(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1, "mysql.innodb_os_log_written": 700}, level: nums{"cgroup.cpu.limit": 1}}, Unknown, ""},
		{mCPU02(), pod, seenBy{}, Unknown, ""},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1}, facts: rules("900000")}, Confirmed, "{service: {proxy: nftables}}"},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1}, facts: rules("150000")}, RuledOut, ""},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1, "host.cpu.user_ns": 15e5, "host.cpu.system_ns": 7e5, "host.cpu.irq_ns": 3e5, "host.cpu.idle_ns": 1e5}, facts: rules("150000")}, Confirmed, "{service: {proxy: nftables}}"},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1, "host.cpu.user_ns": 15e5, "host.cpu.system_ns": 7e5, "host.cpu.irq_ns": 3e5, "host.cpu.idle_ns": 1e6}, facts: rules("150000")}, RuledOut, ""},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1, "host.cpu.user_ns": 15e5, "host.cpu.idle_ns": 1e5}, facts: rules("150000")}, RuledOut, ""},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1}}, Unknown, ""},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 0.001}}, RuledOut, ""},
		{kNET10(), "{target: container, network: {plugin: bridge}, service: {proxy: nftables, others: 5000}}", seenBy{each: nums{"mysql.connections": 1}}, RuledOut, ""},
		{kNET10(), "{target: container, network: {plugin: bridge}, service: {others: 10}}", seenBy{each: nums{"mysql.connections": 1}}, RuledOut, ""},
		{kNET10(), many, seenBy{}, Unknown, ""},
		{kNET10(), pod, seenBy{}, RuledOut, ""},
		{kNET10(), inCluster, seenBy{each: nums{"mysql.connections": 1}, facts: said{"network.address": "pod"}}, Unknown, ""},
		{kNET10(), inCluster, seenBy{facts: said{"network.address": "service"}}, Unknown, ""},
		{kNET10(), inCluster, seenBy{each: nums{"mysql.connections": 0.001}, facts: said{"network.address": "service"}}, RuledOut, ""},
		{kNET10(), inCluster, seenBy{each: nums{"mysql.connections": 1}, facts: said{"network.address": "service"}}, Unknown, ""},
		{kNET10(), inCluster, seenBy{each: nums{"mysql.connections": 1}, facts: said{"network.address": "loadbalancer", "network.service_proxy": "kube-proxy, iptables"}}, Unknown, ""},
		{kNET10(), inCluster, seenBy{each: nums{"mysql.connections": 1}, facts: said{"network.address": "service", "network.service_proxy": "kube-proxy, nftables"}}, RuledOut, ""},
		{kNET10(), inCluster, seenBy{each: nums{"mysql.connections": 1}, facts: said{"network.service_proxy": "kube-proxy, ipvs"}}, RuledOut, ""},
		{kNET10(), inCluster, seenBy{each: nums{"mysql.connections": 1}, facts: said{"network.service_proxy": "Cilium (eBPF)"}}, RuledOut, ""},
		{kNET10(), inCluster, seenBy{each: nums{"mysql.connections": 1}, facts: said{"network.service_proxy": "Cilium (eBPF); kube-proxy runs as well"}}, Unknown, ""},
		{kNET10(), "{target: external, host: db}", seenBy{each: nums{"mysql.connections": 0.001}}, RuledOut, ""},
		{kNET10(), "{target: external, host: db}", seenBy{each: nums{"mysql.connections": 1}}, Unknown, ""},
		{kCPU05(), "{target: container, qos: Guaranteed, cpu: 1, memory: 1Gi, exclusive: true}", seenBy{each: nums{"server.cpu.user_ns": 7e6, "server.cpu.system_ns": 2.9e6}, facts: cpus("1")}, Confirmed, "{exclusive: false, cpu: max}"},
		{kCPU05(), pod, seenBy{each: nums{"server.cpu.user_ns": 14e6, "server.cpu.system_ns": 4e6}, facts: cpus("0-1")}, Confirmed, ""},
		{kCPU05(), pod, seenBy{each: nums{"server.cpu.user_ns": 12e6, "server.cpu.system_ns": 4e6}, facts: cpus("0-1")}, RuledOut, ""},
		{kCPU05(), pod, seenBy{facts: cpus("0-1")}, Unknown, ""},
		{kSTO01(), "{target: container, filesystem: overlay}", seenBy{facts: said{"container.data.filesystem": "overlay"}}, Confirmed, "{filesystem: volume}"},
		{kSTO01(), pod, seenBy{facts: said{"container.data.filesystem": "ext4"}}, RuledOut, ""},
		{kSTO01(), pod, seenBy{}, Unknown, ""},

		// Close to the thresholds, above and below.
		{cCPU06(), pod, seenBy{each: nums{"host.cpu.system_ns": 0, "host.cpu.irq_ns": 0, "host.cpu.user_ns": 0, "host.cpu.steal_ns": 2.2e5, "host.cpu.idle_ns": 97.8e5}}, Confirmed, ""},
		{cCPU06(), pod, seenBy{each: nums{"host.cpu.system_ns": 0, "host.cpu.irq_ns": 0, "host.cpu.user_ns": 0, "host.cpu.steal_ns": 1.8e5, "host.cpu.idle_ns": 98.2e5}}, RuledOut, ""},
		{cIO01(), "{target: container, io: gp3}", seenBy{each: nums{"cgroup.io.writes": 26}, level: nums{"cgroup.io.write_iops_limit": 3000}}, Confirmed, "{io: null}"},
		{cIO01(), "{target: container, io: gp3}", seenBy{each: nums{"cgroup.io.writes": 25.2}, level: nums{"cgroup.io.write_iops_limit": 3000}}, RuledOut, ""},
		{cIO01(), "{target: container, io: {writeIOPS: 41}}", seenBy{facts: said{"unready.seconds": "20.03", "unready.cgroup.io.writes": "590", "unready.cgroup.io.write_iops_limit": "41"}}, Confirmed, "{io: null}"},
		{cIO01(), "{target: container, io: {writeIOPS: 43}}", seenBy{facts: said{"unready.seconds": "20.03", "unready.cgroup.io.writes": "590", "unready.cgroup.io.write_iops_limit": "43"}}, RuledOut, ""},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.2}, level: nums{"mysql.redo_age": 82e6}, facts: capacity("104857600")}, Confirmed, "{config: {innodb_redo_log_capacity: 2G}}"},
		{cIO04(), pod, seenBy{level: nums{"mysql.redo_age": 81e6}, facts: capacity("104857600")}, RuledOut, ""},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 3}, level: nums{"mysql.redo_age": 4.3e6}, facts: capacity("8388608")}, Confirmed, "{config: {innodb_redo_log_capacity: 2G}}"},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 3}, level: nums{"mysql.redo_age": 4.1e6}, facts: capacity("8388608")}, RuledOut, ""},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.75}, level: nums{"mysql.redo_age": 5.2e6}, facts: capacity("8388608")}, Confirmed, "{config: {innodb_redo_log_capacity: 2G}}"},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.65}, level: nums{"mysql.redo_age": 5.2e6}, facts: capacity("8388608")}, RuledOut, ""},
		{cIO04(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_pages_flushed": 0.2}, level: nums{"mysql.redo_age": 163e6}, facts: said{keys.MySQLVariablePrefix + "innodb_log_file_size": "104857600", keys.MySQLVariablePrefix + "innodb_log_files_in_group": "2"}}, Confirmed, "{config: {innodb_log_file_size: 1G}}"},
		{cIO04(), pod, seenBy{level: nums{"mysql.redo_age": 162e6}, facts: said{keys.MySQLVariablePrefix + "innodb_log_file_size": "104857600", keys.MySQLVariablePrefix + "innodb_log_files_in_group": "2"}}, RuledOut, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 2, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 1.05e6}}, Confirmed, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 2, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 0.95e6}}, RuledOut, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 0.011, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 5e6}}, Confirmed, ""},
		{cBP01(), pod, seenBy{each: nums{"mysql.innodb_buffer_pool_reads": 0.009, "mysql.innodb_buffer_pool_read_requests": 300, "mysql.file.data.read_ns": 5e6}}, RuledOut, ""},
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.021}, facts: dur("1", "1")}, Confirmed, "{config: {innodb_flush_log_at_trx_commit: 2, sync_binlog: 0}}"},
		{mDUR01(), pod, seenBy{each: nums{"mysql.innodb_os_log_fsyncs": 0.019, "mysql.file.binlog.sync_count": 0}, facts: dur("1", "1")}, RuledOut, ""},
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{each: nums{"cgroup.memory.at_limit": 0.011}, level: nums{"cgroup.memory.limit_bytes": 512 << 20}}, Confirmed, "{memory: 1024Mi}"},
		{kMEM10(), "{target: container, memory: 512Mi}", seenBy{each: nums{"cgroup.memory.at_limit": 0.009}, level: nums{"cgroup.memory.limit_bytes": 512 << 20}}, RuledOut, ""},
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.spurious": 0, "tcp.sent_segments": 20, "tcp.retransmitted": 0.022}, facts: own}, Confirmed, "{network: {loss: null}}"},
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.sent_segments": 20, "tcp.retransmitted": 0.018}, facts: own}, RuledOut, ""},
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.spurious": 0, "tcp.sent_segments": 1, "tcp.retransmitted": 0.011}, facts: own}, Confirmed, "{network: {loss: null}}"},
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.sent_segments": 1, "tcp.retransmitted": 0.009}, facts: own}, RuledOut, ""},
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.spurious": 0, "tcp.sent_segments": 20, "tcp.retransmitted": 0.02}, facts: own}, Confirmed, "{network: {loss: null}}"},
		{cNET04(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"tcp.spurious": 0, "tcp.sent_segments": 1, "tcp.retransmitted": 0.01}, facts: own}, Confirmed, "{network: {loss: null}}"},
		{cNET05(), pod, seenBy{each: nums{"mysql.connections": 0.055}}, Confirmed, ""},
		{cNET05(), pod, seenBy{each: nums{"mysql.connections": 0.045}}, RuledOut, ""},
		{cNET05(), pod, seenBy{each: nums{"mysql.connections": 0.1}, rate: nums{"mysql.connections": 2.1}}, Confirmed, ""},
		{cNET05(), pod, seenBy{each: nums{"mysql.connections": 0.1}, rate: nums{"mysql.connections": 2}}, Confirmed, ""},
		{cNET05(), pod, seenBy{each: nums{"mysql.connections": 0.1}, rate: nums{"mysql.connections": 1.9}}, RuledOut, ""},
		{cNET05(), "{target: container, reconnect: 1}", seenBy{each: nums{"mysql.connections": 1}, facts: said{keys.MySQLVariablePrefix + "skip_name_resolve": "OFF", "client.session_ns": "2500000"}}, Confirmed, "{config: {skip_name_resolve: ON}}"},
		{cNET05(), "{target: container, reconnect: 1}", seenBy{each: nums{"mysql.connections": 1}, facts: said{keys.MySQLVariablePrefix + "skip_name_resolve": "OFF", "client.session_ns": "2300000"}}, Confirmed, "{reconnect: null}"},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "a loop was busy", "gate.foreign_s": "100 to 100.7", "gate.machine_s": "500 to 513"}}, Unknown, ""},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "a loop was busy", "gate.foreign_s": "100 to 100.6", "gate.machine_s": "500 to 513"}}, Confirmed, ""},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "a loop was busy", "load.pod.0.qos": "BestEffort", "load.run_queue_s": "2.0", "load.cpu_user_s": "0.2", "load.cpu_system_s": "1.7"}}, Confirmed, "{clientCPURequest: 500m}"},
		{pCLIENT01(), pod, seenBy{facts: said{"load.invalid": "a loop was busy", "load.pod.0.qos": "BestEffort", "load.run_queue_s": "1.8", "load.cpu_user_s": "0.2", "load.cpu_system_s": "1.7"}}, Confirmed, ""},
		{kMEM09(), pod, seenBy{level: nums{"cgroup.memory.huge_bytes": 26 << 20, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "always"}}, Confirmed, "{hugePages: never}"},
		{kMEM09(), pod, seenBy{each: nums{"host.compaction_stalls": 0}, level: nums{"cgroup.memory.huge_bytes": 24 << 20, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "always"}}, RuledOut, ""},
		{kMEM09(), pod, seenBy{each: nums{"host.compaction_stalls": 0.011}, level: nums{"cgroup.memory.huge_bytes": 0, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "always"}}, Confirmed, "{hugePages: never}"},
		{kMEM09(), pod, seenBy{each: nums{"host.compaction_stalls": 0.009}, level: nums{"cgroup.memory.huge_bytes": 0, "cgroup.memory.anonymous_bytes": 500 << 20}, facts: said{"host.memory.thp": "always"}}, RuledOut, ""},
		{cNET01(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"mysql.statements.count": 16}, facts: said{"client.round_trip_ns": "84000"}}, Confirmed, "{network: null, service: null}"},
		{cNET01(), "{target: container, network: {plugin: bridge}}", seenBy{each: nums{"mysql.statements.count": 16}, facts: said{"client.round_trip_ns": "81000"}}, RuledOut, ""},
		{kNET06(), "{target: container, network: {plugin: bridge, mtu: 9000}}", seenBy{each: nums{"ip.fragments": 0.011, "ip.fragmentation_failures": 0, "ip.reassembled": 0}, facts: own}, Confirmed, "{network: {mtu: 1400}}"},
		{kNET06(), "{target: container, network: {plugin: bridge, mtu: 9000}}", seenBy{each: nums{"ip.fragments": 0.009, "ip.fragmentation_failures": 0, "ip.reassembled": 0}, facts: own}, RuledOut, ""},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1}, level: nums{"cgroup.cpu.limit": 3}, facts: said{keys.MySQLVariablePrefix + "innodb_read_io_threads": "7"}}, Confirmed, "{config: {innodb_read_io_threads: 3}}"},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1}, level: nums{"cgroup.cpu.limit": 3}, facts: said{keys.MySQLVariablePrefix + "innodb_read_io_threads": "6"}}, RuledOut, ""},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1}, level: nums{"cgroup.cpu.limit": 1}, facts: said{keys.MySQLVariablePrefix + "innodb_page_cleaners": "5"}}, Confirmed, "{config: {innodb_page_cleaners: 1}}"},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1}, level: nums{"cgroup.cpu.limit": 1}, facts: said{keys.MySQLVariablePrefix + "innodb_page_cleaners": "4"}}, RuledOut, ""},
		{mCPU01(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1}, level: nums{"cgroup.cpu.limit": 2}, facts: said{keys.MySQLVariablePrefix + "thread_handling": "pool-of-threads", keys.MySQLVariablePrefix + "thread_pool_size": "64"}}, Confirmed, "{config: {thread_pool_size: 2}}"},
		{mCPU02(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1, "mysql.innodb_os_log_written": 700}, level: nums{"cgroup.cpu.limit": 4}, facts: said{keys.MySQLVariablePrefix + "innodb_log_writer_threads": "ON"}}, Confirmed, "{config: {innodb_log_writer_threads: OFF}}"},
		{mCPU02(), pod, seenBy{each: nums{"cgroup.cpu.nr_periods": 1, "mysql.innodb_os_log_written": 700}, level: nums{"cgroup.cpu.limit": 4.1}, facts: said{keys.MySQLVariablePrefix + "innodb_log_writer_threads": "ON"}}, RuledOut, ""},
		{kNET10(), strings.Replace(many, "5000", "1000", 1), seenBy{each: nums{"mysql.connections": 1}, facts: rules("900000")}, Confirmed, "{service: {proxy: nftables}}"},
		{kNET10(), strings.Replace(many, "5000", "999", 1), seenBy{each: nums{"mysql.connections": 1}, facts: rules("900000")}, RuledOut, ""},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 0.055}, facts: rules("9000000")}, Confirmed, "{service: {proxy: nftables}}"},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 0.045}, facts: rules("9000000")}, RuledOut, ""},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1}, facts: rules("205000")}, Confirmed, "{service: {proxy: nftables}}"},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1}, facts: rules("195000")}, RuledOut, ""},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1, "host.cpu.user_ns": 15e5, "host.cpu.system_ns": 7e5, "host.cpu.irq_ns": 3e5, "host.cpu.idle_ns": 8e5}, facts: rules("150000")}, Confirmed, "{service: {proxy: nftables}}"},
		{kNET10(), many, seenBy{each: nums{"mysql.connections": 1, "host.cpu.user_ns": 15e5, "host.cpu.system_ns": 7e5, "host.cpu.irq_ns": 3e5, "host.cpu.idle_ns": 9e5}, facts: rules("150000")}, RuledOut, ""},
		{kCPU05(), pod, seenBy{each: nums{"server.cpu.user_ns": 14e6, "server.cpu.system_ns": 3.2e6}, facts: cpus("0-1")}, Confirmed, ""},
		{kCPU05(), pod, seenBy{each: nums{"server.cpu.user_ns": 14e6, "server.cpu.system_ns": 2.8e6}, facts: cpus("0-1")}, RuledOut, ""},
	}, base
}

// waitingFor are sessions that wait for row locks, at least so many at each of the readings, and one that has waited so long for
// a metadata lock.
func waitingFor(readings, least, metadata string) said {
	return said{
		"watched.locks.row.readings": readings, "watched.locks.row.least": least, "watched.locks.row.waiting": least, "watched.locks.row.oldest_s": "40",
		"watched.locks.row.holder": "7", "watched.locks.row.holder.account": "app@10.0.0.3:4711", "watched.locks.row.holder.open_s": "60", "watched.locks.row.holder.sleeps_s": "58",
		"watched.locks.metadata.waiting": "1", "watched.locks.metadata.oldest_s": metadata,
	}
}
