// JUnit's XML, for CI systems: every comparison is a test that the arm costs no
// more than the margin, or a test for each condition of --fail-if.

package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// The common form of the many dialects: https://github.com/testmoapp/junitxml.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr,omitempty"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties *[]junitPair    `xml:"properties>property"`
	Cases      []junitTestCase `xml:"testcase"`
}

type junitPair struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitTestCase struct {
	Class      string       `xml:"classname,attr"`
	Name       string       `xml:"name,attr"`
	Properties *[]junitPair `xml:"properties>property"`
	Failure    *junitReason `xml:"failure"`
	Error      *junitReason `xml:"error"`
	Skipped    *junitReason `xml:"skipped"`
	Out        string       `xml:"system-out,omitempty"`
}

type junitReason struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func junitFile(w io.Writer, doc *report.Document, o Options) error {
	suite := junitSuite{Name: "tare." + doc.Run.Name, Properties: &[]junitPair{{"tare", doc.Tare}, {"plan_hash", doc.Run.PlanHash}}}
	if from, to := doc.Run.Started, doc.Run.Finished; from != nil {
		suite.Timestamp = from.UTC().Format(time.RFC3339)
		if to != nil {
			suite.Time = strconv.FormatFloat(to.Sub(*from).Seconds(), 'f', 3, 64)
		}
	}
	for i := range o.Gates {
		g := &o.Gates[i]
		suite.add(gateCase("tare."+workloadOf(doc)+"."+g.Arm, fmt.Sprintf("%s with %d threads", g.Condition, g.Threads()), g))
	}
	if len(o.Gates) > 0 {
		return writeJUnit(w, suite)
	}
	for _, c := range doc.Contrasts {
		suite.add(junitCase(doc, c, o))
	}
	return writeJUnit(w, suite)
}

func writeJUnit(w io.Writer, suite junitSuite) error {
	b, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", " ")
	if err != nil {
		return fmt.Errorf("encode JUnit: %w", err)
	}
	if _, err := w.Write(append([]byte(xml.Header), append(b, '\n')...)); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

func (s *junitSuite) add(c junitTestCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func junitCase(doc *report.Document, c report.Contrast, o Options) junitTestCase {
	margin := number(known(doc.Run.MarginPercent))
	out := junitTestCase{
		Class: "tare." + workloadOf(doc) + "." + c.Arm,
		Name:  fmt.Sprintf("%s with %d threads costs no more than %s %%", c.Metric, c.Threads, margin),
		Out:   c.Sentence,
	}
	lo, hi := bounds(c.Interval)
	low := number(lo)
	if lo != nil && *lo < -language.Farthest {
		low = undetermined
	}
	pairs := []junitPair{
		{"baseline", c.Baseline}, {"cost_percent", number(turned(c.EffectPercent))}, {"lo95_percent", low},
		{"hi95_percent", number(hi)}, {"rounds", strconv.Itoa(c.Rounds)}, {"margin_percent", margin}, {"verdict", c.Verdict},
	}
	out.Properties = &pairs
	out.setResult(c, o)
	return out
}

// undetermined is the bound of an interval that so few rounds do not determine, as the reports say.
const undetermined = "not determined"

// setResult says what a verdict is to a CI system. What was not shown is never a
// pass: an interval that holds a cost beyond the margin skips the test.
func (t *junitTestCase) setResult(c report.Contrast, o Options) {
	reason := &junitReason{Type: c.Verdict, Message: c.Sentence}
	switch c.Verdict {
	case "gains", "equivalent", "within-margin":
	case "costs":
		t.Failure = reason
		if c.PastMargin == "unsettled" && !o.StrictJUnit {
			t.Failure, t.Skipped = nil, reason
		}
	case "invalid", "failed":
		t.Error = reason
	default: // inconclusive, not measured, sealed
		t.Skipped = reason
		if o.StrictJUnit {
			t.Skipped, t.Failure = nil, reason
		}
	}
}

// SessionsJUnit writes the gates of a comparison of two runs: a test for each
// condition and arm.
func SessionsJUnit(w io.Writer, s *report.Sessions) error {
	s = s.Original() // for programs, as JSON
	suite := junitSuite{
		Name:       "tare." + s.After.Run,
		Properties: &[]junitPair{{"tare", s.Tare}, {"before", s.Before.Run}, {"after", s.After.Run}},
	}
	for i := range s.Gates {
		g := &s.Gates[i]
		suite.add(gateCase("tare."+s.After.Run+"."+g.Arm, g.Condition, g))
	}
	return writeJUnit(w, suite)
}

// gateCase is the test of a condition of --fail-if.
func gateCase(class, name string, g *report.Gate) junitTestCase {
	c := junitTestCase{Class: class, Name: name, Out: g.Reason}
	switch {
	case g.Failed:
		c.Failure = &junitReason{Type: "gate", Message: g.Reason}
	case g.Open():
		c.Skipped = &junitReason{Type: "open", Message: g.Reason}
	}
	return c
}

// workloadOf names the workload, which an imported run does not know.
func workloadOf(doc *report.Document) string {
	if doc.Run.Workload == "" {
		return "imported"
	}
	return doc.Run.Workload
}

// number is a value as text, "" when it is not known.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
