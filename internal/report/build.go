package report

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
)

// Unit is the unit of throughput, but for logs of programs that count something else.
const Unit = record.TransactionsPerSecond

// Build turns a run into the document that every view shows. tare is the version
// of the program that builds it. An error says that the run holds no plan.
func Build(run *record.Run, tare string) (*Document, error) {
	res := compare.Run(run)
	doc := &Document{
		Schema: Schema, Version: Version, Tare: tare,
		Run: runInfo(run, res), WarningReasons: reasonsOf(res.Warnings),
		Arms: []Arm{}, Contrasts: []Contrast{}, Attributions: []Attribution{}, NoiseFloors: []NoiseFloor{}, Trials: []Trial{}, Differences: []Difference{},
	}
	doc.round, doc.Limits = roundDuration(run), limits(res.Limits)
	for i := range res.Arms {
		doc.Arms = append(doc.Arms, arm(&res.Arms[i], res, doc.ThroughputUnit()))
		if run.Imported != nil {
			doc.Arms[i].Logs = logs(&res.Arms[i])
		}
	}
	for _, c := range res.Contrasts {
		doc.Contrasts = append(doc.Contrasts, contrast(c, doc.round))
	}
	for _, f := range res.NoiseFloors {
		doc.NoiseFloors = append(doc.NoiseFloors, noiseFloor(f))
	}
	for _, a := range res.Attributions {
		doc.Attributions = append(doc.Attributions, attribution(a))
	}
	for _, n := range res.Neighbours {
		doc.Neighbours = append(doc.Neighbours, neighbourOf(n))
	}
	for _, m := range res.Remedies {
		doc.Remedies = append(doc.Remedies, remedy(m))
	}
	for _, h := range res.Hypotheses {
		doc.Hypotheses = append(doc.Hypotheses, hypothesis(h))
	}
	for _, t := range run.Trials {
		doc.Trials = append(doc.Trials, trial(t))
	}
	for _, d := range res.Differences {
		doc.Differences = append(doc.Differences, difference(d))
	}
	doc.Parameters = parameters(res.Parameters)
	doc.trust(res)
	doc.Probes = probes(res)
	doc.Heat = heat(res)
	doc.explain(run, res)
	doc.setVoids(run, res.Voids)
	doc.setAttempts(run, res.Voids)
	doc.setCorrelations(res.Correlations)
	doc.setNetwork(res)
	doc.setStalls(res.Stalls)
	doc.setEvents(res)
	doc.Protocol = protocol(run)
	doc.capacities(run, res)
	doc.prices(res)
	doc.Environment, doc.place = environment(run), placeOf(run)
	if run.Experiment != nil {
		doc.ExperimentYAML = text(string(run.Experiment.Source))
	}
	doc.dir = text(run.Dir)
	if res.Sealed {
		doc.seal()
	}
	doc.writeSentences()
	return doc, nil
}

// writeSentences makes the sentences, which need the whole document: first those of the reasons,
// which others quote.
func (doc *Document) writeSentences() {
	doc.writeReasons()
	for i := range doc.Contrasts {
		doc.Contrasts[i].Sentence = doc.sentence(&doc.Contrasts[i])
	}
	doc.writeNeighbours()
	for i := range doc.NoiseFloors {
		doc.NoiseFloors[i].Sentence = doc.noiseSentence(&doc.NoiseFloors[i])
	}
	for i := range doc.Attributions {
		doc.Attributions[i].Sentence = doc.attributionSentence(&doc.Attributions[i])
	}
	for i := range doc.Remedies {
		doc.Remedies[i].Sentence = doc.remedySentence(&doc.Remedies[i])
	}
	for i := range doc.Hypotheses {
		doc.Hypotheses[i].Sentence = doc.hypothesisSentence(&doc.Hypotheses[i])
	}
	for i := range doc.Correlations {
		doc.Correlations[i].Sentence = doc.correlationSentence(&doc.Correlations[i])
	}
	doc.writeNetwork()
	doc.writeCapacities()
	doc.writePrices()
	doc.writeCauses()
	doc.writeAnswers()
	doc.Headline = doc.headline()
	doc.Next = doc.next()
	doc.Scope, doc.Confidence = doc.scope(), doc.confidence()
}

// writeReasons makes a sentence of every reason. One that was written by hand has none
// and stays.
func (doc *Document) writeReasons() {
	l := doc.Language()
	if len(doc.WarningReasons) > 0 || doc.Warnings == nil {
		doc.Warnings = l.Sentences(doc.WarningReasons)
	}
	for i := range doc.Contrasts {
		c := &doc.Contrasts[i]
		if len(c.Reasons) > 0 {
			c.Reason = l.Reasons(c.Reasons)
		}
		for k := range c.Variants {
			if v := &c.Variants[k]; v.Part.Code != "" {
				v.Variant = l.Reason(v.Part)
			}
		}
	}
	for i := range doc.Attributions {
		if a := &doc.Attributions[i]; len(a.Reasons) > 0 {
			a.Reason = l.Reasons(a.Reasons)
		}
	}
	for i := range doc.Remedies {
		if m := &doc.Remedies[i]; m.ServesReason != nil {
			m.Serves = l.Reason(*m.ServesReason)
		}
	}
	for i := range doc.Differences {
		if d := &doc.Differences[i]; d.WhyReason != nil {
			d.Why = l.Reason(*d.WhyReason)
		}
	}
	for i := range doc.Voids {
		doc.Voids[i].Detail = seen(l, &doc.Voids[i])
	}
}

func runInfo(run *record.Run, res *compare.Result) RunInfo {
	info := RunInfo{
		Name: text(filepath.Base(run.Dir)), Imported: run.Imported != nil,
		RoundsPlanned: res.RoundsPlanned, RoundsComplete: res.RoundsComplete,
		TrialsPlanned: res.TrialsPlanned, TrialsDone: res.TrialsDone,
		MarginPercent: Number(language.Round(100*res.Margin, 9)),
		WarmupSeconds: Unknown(), MeasureSeconds: Unknown(),
	}
	info.Started, info.Finished = Span(run)
	if run.Imported != nil {
		info.Engine = text(run.Imported.Format)
		info.Unit = text(run.Imported.Unit)
		info.IntervalSeconds = intervals(run)
		info.Rate = res.Rate
		info.LoopUnknown = res.Rate == 0 && (mayBeOpen(run.Imported.Format) || slices.ContainsFunc(run.Trials, namesRate))
		return info
	}
	e := run.Experiment
	info.Name, info.PlanHash, info.Seed = text(e.Metadata.Name), text(run.Plan.Hash), strconv.FormatUint(run.Plan.Seed, 10)
	info.WarmupSeconds, info.MeasureSeconds = Number(e.Protocol.Warmup.Std().Seconds()), Number(e.Protocol.Measure.Std().Seconds())
	info.Stopping = string(e.Protocol.Rounds.Stopping())
	info.Workload, info.Engine = text(e.Load.Name()), text(e.Load.Engine)
	info.Rate = float64(e.Load.Rate)
	info.OthersCPU, info.ServersUnwatched, info.UnwatchedWhy = othersCPU(res.Others), res.Others.Unwatched, res.Others.UnwatchedWhy
	info.latencyRate(run)
	info.Stopped = stopped(run.Dir)
	return info
}

// stopped is why a run stopped before its end, "" where that is not known.
func stopped(dir string) string {
	failure, err := record.ReadFailure(dir)
	if err != nil || failure == nil || failure.Resumed {
		return ""
	}
	return text(failure.Reason)
}

// mayBeOpen says that the files of a program do not tell an open loop from a closed one: k6's executors of arrival rates and
// BenchBase's rate are not in them.
func mayBeOpen(format string) bool { return format == "k6" || format == "benchbase" }

// namesRate says that the log of a trial names the rate of an open loop.
func namesRate(t *record.Trial) bool {
	return slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return f.Key == keys.LoadRate })
}

// intervals are the shortest and the longest interval of the logs in seconds, but for the last of each,
// which ends with the load; empty where they have none.
func intervals(run *record.Run) []Number {
	var all []float64
	for _, t := range run.Trials {
		for i, v := range t.Intervals {
			if v.Length > 0 && (i == 0 || i < len(t.Intervals)-1) {
				all = append(all, v.Length)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []Number{Number(slices.Min(all)), Number(slices.Max(all))}
}

// Span is from the first start to the last end on record; nil where no trial
// has a start, as in an imported run.
func Span(run *record.Run) (started, finished *time.Time) {
	for _, t := range run.Trials {
		from := t.Header.Started
		if from.IsZero() {
			continue
		}
		if started == nil || from.Before(*started) {
			started = &from
		}
		if t.End == nil {
			continue
		}
		if to := from.Add(t.End.Duration); finished == nil || to.After(*finished) {
			finished = &to
		}
	}
	return started, finished
}

// roundDuration is how long a round took here, for the price of more rounds: the mean over the
// rounds of the time in which any of their trials ran. Trials of slices run at the same time, and
// one that was repeated by a resumed run may be hours after the others of its round.
func roundDuration(run *record.Run) time.Duration {
	if run.Experiment == nil {
		return 0
	}
	rounds := map[int][]*record.Trial{}
	for _, t := range run.Trials {
		if t.End != nil {
			rounds[t.Header.Round] = append(rounds[t.Header.Round], t)
		}
	}
	var sum time.Duration
	n := 0
	for _, trials := range rounds {
		if len(trials) == len(run.Plan.Trials)/max(1, run.Plan.Rounds) {
			sum += occupied(trials)
			n++
		}
	}
	return sum / time.Duration(max(1, n))
}

// occupied is the length of the union of the trials' times.
func occupied(trials []*record.Trial) time.Duration {
	sorted := slices.SortedFunc(slices.Values(trials), func(a, b *record.Trial) int { return a.Header.Started.Compare(b.Header.Started) })
	var sum time.Duration
	var until time.Time
	for _, t := range sorted {
		begin, end := t.Header.Started, t.Header.Started.Add(t.End.Duration)
		if begin.Before(until) {
			begin = until
		}
		if end.After(begin) {
			sum, until = sum+end.Sub(begin), end
		}
	}
	return sum
}

// environment is every fact that is the same in every trial and says something
// about the machine, the server's files, the data, or an option that the
// experiment sets.
func environment(run *record.Run) []Setting {
	all := []Setting{}
	same := map[string]*Setting{}
	states := readTwice(run)
	var order []string
	for _, t := range run.Trials {
		for _, f := range t.Facts {
			if states[f.Key] || f.Unknown != "" || !ofEnvironment(run, f.Key) {
				continue
			}
			s, ok := same[f.Key]
			if !ok {
				order = append(order, f.Key)
				same[f.Key] = &Setting{text(f.Key), text(f.Value), text(f.Source)}
			} else if s.Value != text(f.Value) {
				s.Value = ""
			}
		}
	}
	slices.Sort(order)
	for _, key := range order {
		if s := same[key]; s.Value != "" {
			all = append(all, *s)
		}
	}
	return all
}

// readTwice are the facts that are read at the end as well: states, not settings.
func readTwice(run *record.Run) map[string]bool {
	states := map[string]bool{}
	for _, t := range run.Trials {
		for _, f := range t.Facts {
			if f.Phase == "end" {
				states[f.Key] = true
			}
		}
	}
	return states
}

func ofEnvironment(run *record.Run, key string) bool {
	if name, ok := strings.CutPrefix(key, keys.MySQLVariablePrefix); ok {
		if name == "version" || name == "version_comment" {
			return true
		}
		if run.Experiment == nil {
			return false
		}
		for option := range run.Experiment.Database.Config {
			if strings.ReplaceAll(option, "-", "_") == name {
				return true
			}
		}
		return false
	}
	if strings.HasPrefix(key, "replication.") {
		return !strings.HasPrefix(key, keys.ReplicationOptionPrefix)
	}
	return strings.HasPrefix(key, "host.") || strings.HasPrefix(key, "server.") ||
		strings.HasPrefix(key, "data.") || strings.HasPrefix(key, "engine.")
}
