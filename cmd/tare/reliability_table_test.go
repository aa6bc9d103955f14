package main

// faultGroups is the table that docs/reliability.md is made from.
func faultGroups() []faultGroup {
	return []faultGroup{
		{"The server under load", serverFaults()},
		{"Storage and the record", recordFaults()},
		{"Kills and what is left", killFaults()},
		{"Signals and waits", waitFaults()},
		{"Hostile input", hostileFaults()},
		{"Other people's servers and data", foreignFaults()},
	}
}

func serverFaults() []provoked {
	return []provoked{
		{"the server is killed or crashes in a trial", "SIGKILL to mysqld in its window, with both engines", "the trial is `server-lost`; it is in no mean; text, Markdown, page, JSON and the end of the run say so; the run goes on", []string{"cmd/tare.TestLostServers"}},
		{"the server is killed for its memory", "a session takes more than the limit of the server's container in a window", "the trial is `server-lost` and its reason is the memory limit; the next trial is measured", []string{"cmd/tare.TestServerLostForMemory"}},
		{"the server hangs", "SIGSTOP to mysqld in its window, with both engines", "after 10 s without an answer the load ends and the trial is `server-lost`", []string{"cmd/tare.TestLostServers"}},
		{"the server loses its tables", "`DROP DATABASE` in the window, with both engines", "the trial is `server-lost`", []string{"cmd/tare.TestLostServers"}},
		{"the server hangs or ends while data are made", "a server that answers nothing, one that has ended", "after 10 s, or at once, the step ends with an error that says how the server was lost", []string{"internal/runner.TestSilentServerIsLost"}},
		{"the network path to a server breaks in a trial", "a proxy that refuses, that passes nothing on (half-open), and that leads to another server (failover)", "the trial is `server-lost` with what was seen, after 5 s without an answer; the run goes on, and the next trial has its rows", []string{"cmd/tare.TestExternalServer"}},
		{"packets are lost between the client and the server", "2 % of those on the link of a pod (netem), in a run beside pods without loss", "the trial is measured, and the report confirms packet loss as a cause by the counters of the pod's TCP (C-NET-04)", []string{"cmd/tare.TestEffects"}},
		{"the name of an external server no longer resolves", "a DNS server that knows the name no more, or does not answer, before a trial and in it; connections that go on, connections of the load that are ended, all connections broken", "connections that are there go on, and their trial is measured; a trial whose load could not connect again is `server-lost`, one that could not begin is `failed`, each with DNS as its reason; the run goes on", []string{"cmd/tare.TestNamesAndCertificates", "internal/mysqld.TestUnreachable"}},
		{"the certificate of an external server is replaced", "`ALTER INSTANCE RELOAD TLS` with the certificate of another authority, before a trial and in it", "the same with TLS as the reason: no connection is made without the certificate that was asked for", []string{"cmd/tare.TestNamesAndCertificates", "internal/mysqld.TestUnreachable"}},
		{"the server never answers", "a server that accepts nothing", "the trial is `not-ready` after `protocol.ready`, with what its cgroup counted", []string{"internal/runner.TestNotReadyIsAnOutcome"}},
		{"a server cannot be started", "a target that refuses three times in a row", "the trials are `failed`, the run ends, `--resume` repeats them", []string{"internal/runner.TestFailuresEndTheRun"}},
		{"connections break, are refused, or time out under load", "a server that closes, refuses and goes silent", "errors and outages are counted by code and time; the load goes on", []string{"internal/loadgen/loop.TestOnServer"}},
	}
}

func recordFaults() []provoked {
	return []provoked{
		{"a stream is cut off", "cut at every byte", "the trial is incomplete, the others stay, `--resume` repeats it alone", []string{"internal/record.TestEveryCutIsSeen", "internal/record.TestOpenHalfWrittenRun"}},
		{"a stream is changed", "every byte flipped in turn", "the checksum does not match; the trial is incomplete", []string{"internal/record.TestEveryChangeIsSeen"}},
		{"`plan.json` is changed", "trials removed, emptied or moved to round 99 or -1; other rounds; 30,000,000 as `max_rounds`", "every command that reads the run ends with a clear error and code 3; `tare serve` lists the run with it and goes on", []string{"cmd/tare.TestChangedPlan", "internal/experiment.TestChangedPlanIsRefused"}},
		{"`import.json` is changed", "arm names that are paths, impossible rounds", "refused", []string{"internal/record.TestChangedImportIsRefused"}},
		{"a file of a run is a FIFO", "in place of the plan, a stream, a note", "an error at once instead of a wait", []string{"internal/record.TestOpenWaitsForNothing", "cmd/tare.TestChangedPlan"}},
		{"the record cannot be read", "truncated and unreadable files", "exit code 3; 2 only where the directory is not a run at all", []string{"cmd/tare.TestExitCodesOfTheRecord"}},
		{"the disk is full", "results written to `/dev/full`", "exit code 3 and the reason", []string{"cmd/tare.TestFullDisk"}},
		{"the disk of a run becomes full in a trial, and read-only before the next", "a file system of 4 MiB that is filled while a server is loaded, then remounted", "the run ends with the reason and leaves no server; the complete trial stays byte for byte; `--resume` finishes the run when there is room", []string{"cmd/tare.TestStorageFaultsInTrials"}},
		{"the power fails in a run", "a file system that keeps what was synced and nothing else, cut after every sync", "every trial that was shown as ended is there and complete; `--resume` finishes the run from what is left", []string{"internal/campaign.TestPowerCut"}},
		{"the disk of a run is slow", "a file system on which no write and no sync returns while a server is loaded", "load and probes do not wait: what they write is kept in memory, up to 64 MiB a trial; the run says what it waits for at the trial's end; no trial and no line is missing", []string{"internal/campaign.TestSlowDisk", "internal/record.TestBehind", "internal/record.TestBehindFails", "internal/record.TestBehindIsBounded", "internal/runner.TestSlowRecordIsTold"}},
		{"the clock is set while a load runs", "arrival times of packets, which are times of the wall clock, from clocks that are set by up to an hour in both directions", "no latency contains the difference", []string{"internal/loadgen/loop.TestClockIsSet"}},
		{"the clock of a server is set in a trial", "the time of day of a loaded server, MySQL and MariaDB, by an hour and by a year in both directions, with and without a restart", "a jump does not count as a restart, and a restart is seen in spite of it", []string{"internal/runner.TestClockOfTheServer"}},
		{"a run of half a day", "8 trials after none and after 200 rounds; `make soak` has all trials of 12 hours", "no goroutine and no descriptor is added, the heap keeps a trial's series alone, and a trial allocates no more", []string{"internal/campaign.TestSoak"}},
		{"a record of an earlier version", "one run of each version of the stream and of `plan.json`", "read and reported", []string{"cmd/tare.TestEarlierRecords"}},
		{"a record of a later version", "a stream of version 99", "refused, and not overwritten", []string{"internal/record.TestLaterVersionIsNotOurs"}},
	}
}

func killFaults() []provoked {
	return []provoked{
		{"tare is killed", "SIGKILL at 30 of the fault points of preparation, trial, teardown and report, with every layer of a pod; `make crash` has every point and 200 random moments", "`tare clean` removes all that was left: interfaces, packet filters, processes, mounts, loop devices, cgroups, namespaces and files are as before; `--resume` finishes the run; complete trials stay byte for byte; the record has the structure of an undisturbed one", []string{"cmd/tare.TestKilledRunIsFinished"}},
		{"the server or the load generator is killed at any step", "SIGKILL to mysqld and to sysbench at 5 steps of a trial, at which tare waits meanwhile; `make crash` has every step, also in pods with every layer and while data are made", "a trial whose load had not ended is not measured and its record says why; the next trial is measured; nothing is left; `--resume` measures the trials that failed", []string{"cmd/tare.TestServerAndLoadKilledAtEveryStep"}},
		{"tare or a member is killed in a trial of a replicated database", "SIGKILL to tare while members are started and joined, and to a member before the load; `make crash` has every point and every step", "`tare clean` and `--resume` remove all servers, links and namespaces; the trial that lost a member says so", []string{"cmd/tare.TestKilledReplicationIsFinished"}},
		{"tare is killed while servers take turns", "SIGKILL at 5 turns, when all servers but one are frozen; `make crash` has every point of a round and 30 random moments", "the servers are thawed and removed; the round is measured again as a whole; no trial of it had been shown as ended", []string{"cmd/tare.TestKilledSlicesAreThawed"}},
		{"a load pod is killed", "SIGKILL to one of two generators", "the trial is `failed`: what the other one counted is no result", []string{"internal/target/kubernetes.TestLoadPodKilled"}},
		{"tare is killed in a cluster", "SIGKILL at 8 of the steps of trials with load pods, a neighbour and the database of an operator; with `TARE_CRASH_KILLS=1` every object that is made or deleted is a step", "`tare clean --kubeconfig` removes all objects, those that the operator left among them, and the cluster's objects of every kind are as before; `--resume` finishes the run; complete trials stay byte for byte", []string{"cmd/tare.TestKilledInClusterIsFinished", "internal/target/kubernetes.TestClean", "internal/target/kubernetes.TestStandInKilled"}},
		{"the API server, a kubelet or an operator is killed", "SIGKILL at 11 steps of a trial while tare has stopped there, and in the middle of a load; each is started again", "each trial is measured with every second of its series, or is `failed` with a reason; `--resume` measures those; nothing is left in the cluster", []string{"cmd/tare.TestAgentsKilledAtEveryStep", "internal/target/kubernetes.TestAgentsDie"}},
		{"tare is killed while it loads a server", "SIGKILL of the parent of sysbench", "the load ends with it", []string{"internal/loadgen.TestLoadEndsWithTare"}},
		{"tare is killed: its servers", "SIGKILL of the parent of mysqld", "the server ends with it", []string{"internal/target/process.TestServerDiesWithTare"}},
		{"a server ends while its disk is slow", "SIGKILL to a process that has submitted 64 MiB at one write per second; a server that does not start at 8 writes per second", "the limits of its cgroup are lifted, so it ends and everything of it is removed", []string{"internal/node.TestUnthrottle", "cmd/tare.TestWaiting"}},
		{"tare is killed while it makes an instance", "directories without a note, with half of one, and with a changed one", "an instance appears with its note and its lock or not at all; every rest is found and removed", []string{"internal/target.TestInstances", "internal/target.TestOwnLeavesNothingHalf", "internal/target.TestSweepWaitsForNote"}},
		{"a terminal that is closed", "SIGHUP to a run; a standard error that nobody reads", "the run removes what it started and ends with 129; without a reader it goes on to its end", []string{"cmd/tare.TestRunOutlivesItsTerminal"}},
		{"a trial that fails cannot be cleaned up", "an error of the start and one of the teardown", "the trial's reason has both", []string{"internal/runner.TestUncleaned"}},
		{"leftovers of a killed run", "processes, cgroups, mounts, namespaces and loop devices of a dead owner", "found by the instance's name and removed", []string{"internal/target.TestSweepProcesses", "internal/target.TestSweepCgroups", "internal/target.TestSweepMounts", "internal/target.TestSweepNetworkNamespace", "internal/target.TestSweepLoops"}},
		{"a leftover of a killed run that cannot be removed", "a link in place of its directory, and leftovers after it", "it is named and keeps its note; the others are removed, and a run starts and prints a warning; `tare clean` names it again", []string{"cmd/tare.TestStuckLeftover"}},
		{"`tare clean` beside a run that is on", "an instance whose owner lives in another PID namespace, where its number is not to be found", "refused: the owner holds a lock", []string{"internal/target.TestSweepRefusesOwnerAlive"}},
		{"a directory to remove is not tare's", "empty, relative, linked, mounted and foreign paths", "refused; nothing is removed", []string{"internal/remove.TestTreeRefuses", "internal/remove.TestTreeRefusesForeign", "internal/remove.TestTreeRefusesMounted", "internal/target.TestSweepRefuses", "internal/record.TestCreateStreamRefuses", "cmd/tare.TestRemovalsAreChecked"}},
		{"a note about a state on another disk is empty, cut off or changed", "notes that are empty, relative, with `..`, and that name a link or another user's directory; then `clean --data`", "nothing of it is followed; the file is named; the state's own data go", []string{"internal/runner.TestRemoveCachesRefuses", "internal/runner.TestRemoveCachesForeign"}},
		{"one run directory from two state directories", "`--resume` of a run that another process holds", "refused with code 3; no trial is touched", []string{"cmd/tare.TestOneRunDirectoryAtATime"}},
		{"two runs at a time", "a second run with the same state directory", "refused", []string{"internal/runner.TestOneRunAtATime"}},
	}
}

func waitFaults() []provoked {
	return []provoked{
		{"Ctrl-C, SIGTERM", "a signal to `load` and `lint --live` that wait for a server that says nothing", "said at once; the command ends with 130 or 143", []string{"cmd/tare.TestSignalsEndWaits"}},
		{"a second Ctrl-C", "two signals to a verb that has an instance", "the process ends at once and names what is left", []string{"cmd/tare.TestSecondSignalEndsAtOnce"}},
		{"a run is interrupted in a trial", "its context is cancelled", "the trial is done again by `--resume`, its server is stopped", []string{"internal/runner.TestCancelledTrialDoesNotCount"}},
		{"connections of a load that has ended", "an attempt to connect again when the load ends", "it ends with the load; a late stop writes to no descriptor", []string{"internal/loadgen/loop.TestCloseLeavesNothing"}},
		{"a wait without a limit in tare's own code", "a search of the source for receives, sends, locks, commands, connections, queries and contexts that nothing ends", "each has a limit, or stands in a table with what ends it", []string{"cmd/tare.TestEveryWaitHasALimit"}},
		{"`tare serve`: slow clients", "half a request, no request, an answer that nobody reads", "the connection is closed; a stream of a live run goes on", []string{"internal/serve.TestSlowClients", "internal/serve.TestStreamOutlivesTheLimit"}},
		{"the tare that controls load pods is gone", "its connection ends while a generator loads a server", "the generators end 30 s later; the cluster's deadline ends them on servers without such locks", []string{"internal/loadgen.TestBuiltIn", "internal/target/kubernetes.TestDeadline"}},
		{"a load does not end", "an engine that outlives its limit", "ended; `starved`, or `failed` where nobody could see it", []string{"internal/runner.TestOverdue"}},
	}
}

func hostileFaults() []provoked {
	return []provoked{
		{"hostile server", "greetings and answers of any bytes", "an error; bounded memory", []string{"internal/loadgen/wire.TestHostileServer"}},
		{"hostile record", "names and texts with markup, control and bidirectional characters", "text in page, terminal and Markdown", []string{"internal/report.TestHostileNamesMakeNoElements", "internal/report.TestHostileNamesInTerminalAndMarkdown", "internal/serve.TestHostileRunIsText"}},
		{"a line without end", "a stream with a line above 16 MiB", "refused before it is read", []string{"internal/record.TestLongLineIsRefused"}},
		{"image archives that leave their directory", "absolute paths, `..`, links", "nothing is written outside", []string{"internal/mysqld.TestUnpackStaysInside"}},
		{"archive bombs", "entries that declare terabytes, sparse files, entries without number", "refused before the entry is written: 16 GiB are the limit, and 1 GiB of the disk stays free", []string{"internal/mysqld.TestUnpackIsBounded"}},
		{"deep nesting in an experiment", "30,000 opened brackets or list entries", "refused by line before it is parsed", []string{"internal/experiment.TestDeepNestingIsRefused"}},
		{"aliases that multiply", "lists that hold each other ten times, ten and thirty deep, in experiments and manifests", "refused by line, or read once each, in bounded memory", []string{"internal/experiment.TestAliasBomb", "internal/manifest.TestBombs"}},
		{"an import without end", "`/dev/urandom` and `/dev/zero` as a log", "refused at its beginning with code 2; a log may have 256 MiB", []string{"cmd/tare.TestImportEnds"}},
		{"answers and files that a parser does not expect", "fuzzed: experiments, plans, records, archives, manifests, option files, workloads, logs of sysbench, files of /proc and /sys, packets of MySQL, results of CNI plugins, answers of an API server", "an error or a value; plans, files of probes, packets, results of plugins and answers in bounded memory", []string{"internal/experiment.FuzzParse", "internal/record.FuzzPlan", "internal/record.FuzzRead", "internal/record.FuzzUnpack", "internal/manifest.FuzzYAML", "internal/manifest.FuzzOptionFile", "internal/workload/file.FuzzParse", "internal/loadgen.FuzzSysbench", "internal/probe.FuzzFiles", "internal/loadgen/wire.FuzzResponse", "internal/network.FuzzCNIResult", "internal/target/kubernetes.FuzzAnswer"}},
		{"damaged image archives", "truncated, wrong digests, no manifest", "refused with the reason", []string{"internal/mysqld.TestResolveBadArchives"}},
		{"links in a folder that is served", "a run that is a link out of the folder", "not followed", []string{"internal/serve.TestLinksAreNotFollowed"}},
	}
}

func foreignFaults() []provoked {
	return []provoked{
		{"a schema that tare did not make", "a schema of the configured name without tare's marker", "refused at every step; unchanged", []string{"internal/target/external.TestSchemaIsOneTares"}},
		{"two tares on one external server", "a second run while the first loads the server; eight that begin at once; a machine that was suspended", "one has the schema by a lease that it renews; the others are refused with the first one's host, process and run directory, and change nothing; who lost the lease ends its trial as `server-lost`", []string{"internal/target/external.TestSchemaIsOneTares", "cmd/tare.TestExternalServer"}},
		{"a load that others would notice", "8 connections on 2 loops with `load.limit: 100/s` for two seconds", "no more transactions are begun than the limit allows; time that was not used is not made up for; the report says that an arm at the limit can do more; `tare load` has `--limit`", []string{"internal/loadgen/loop.TestOnServer", "internal/compare.TestLimitIsAWarning", "cmd/tare.TestLoadLimit"}},
		{"rows of an external server are changed between trials", "tables that are dropped, created again or emptied", "the next trial is `failed` before it loads anything, with the table's name", []string{"internal/runner.TestKeptRows"}},
		{"tare is killed while it uses an external server", "SIGKILL in a window; then `tare clean`", "the schema is dropped; where the server refuses, server, schema and statement are named; a schema of a tare that may run stays", []string{"cmd/tare.TestExternalServer", "internal/target/external.TestSchemaIsOneTares"}},
		{"statements of other applications on an external server", "an application that inserts slow rows into a table of its own while a trial loads the server, seen by an account with PROCESS and SELECT on performance_schema", "its schema, table and values are in no file of the run, in no export and in nothing that is printed", []string{"cmd/tare.TestExternalServer"}},
		{"a password gets out", "a known password by environment and by file, with both engines, in runs that end well and in five that do not", "it is in no file of record, state, report or export, in no message, in no command line, and in the environment of no process but tare's own; core files are off", []string{"cmd/tare.TestExternalServer"}},
		{"a password gets out in a cluster", "a known password in a Secret of the user's, with load pods; all objects of all kinds, events, logs of all pods, and command lines and environments of all processes of the nodes", "it is in Secrets, and in the environment of the user's own pod, and nowhere else", []string{"cmd/tare.TestPasswordStaysInSecrets"}},
		{"an external server is left as it was", "schemas, tables, accounts and variables before and after", "unchanged", []string{"internal/target/external.TestExternal"}},
		{"a login to another machine without TLS", "a server without TLS at an address that is not loopback", "no login is sent; `off` has to be written", []string{"cmd/tare.TestNoLoginInTheClear", "internal/mysqld.TestTLSIsOnByDefault"}},
		{"a password file that everyone may read", "modes 0604 and 0602, FIFOs, long files", "refused, without a word of its content", []string{"internal/mysqld.TestReadPassword"}},
		{"a run directory of another user's", "mode 0777, another owner, a link", "refused", []string{"internal/target.TestOwnDirectory"}},
		{"a link where root writes the server's options", "a symbolic link of the server's user", "not followed", []string{"internal/target.TestPrivateFilesFollowNoLink"}},
		{"a namespace of the level `restricted`", "its controls, on the pods of load, neighbour and probes", "load and neighbour are admitted and have deadlines; the probes need the node's process numbers and one hostPath, and nothing else", []string{"internal/target/kubernetes.TestLoadPodsAreRestricted", "internal/target/kubernetes.TestDeadline"}},
		{"more permissions than are used", "the RBAC files against the table that `check` asks from", "the same", []string{"internal/target/kubernetes.TestPermissions", "internal/target/kubernetes.TestRightsOfAnArm"}},
		{"a permission that is missing, or that nothing needs", "an API server that lists what it is asked for, in uses with load pods, probes, neighbours, manifests and a pod that does not start; and then refuses one verb on one kind after the other", "every right of docs/kubernetes-rbac*.yaml is used, nothing else is asked for, and without any one of them a step fails and says so", []string{"internal/target/kubernetes.TestRightsAreUsed"}},
		{"an action or a dependency that is changed", "tags in workflows; licences of all modules", "only commits; only licences of a list", []string{"cmd/tare.TestActionsArePinned", "cmd/tare.TestLicences"}},
		{"somebody else's browser or host name", "requests with a foreign Host and without the token", "refused", []string{"internal/serve.TestNobodyElseReads"}},
		{"`tare serve`: paths out of the folder, and requests that would write", "`..`, encoded, absolute and with NUL; PUT, POST, DELETE", "refused; the folder is as before", []string{"internal/serve.TestServeStaysInItsFolder"}},
	}
}
