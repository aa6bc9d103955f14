package diagnose

// This file writes a result as SARIF 2.1.0 (OASIS), which code hosts and editors
// show beside the lines.

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

const pagesAt = "https://github.com/tarebench/tare/blob/main/docs/rules/"

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
		// Invocations name what was not read.
		Invocations []sarifInvocation `json:"invocations,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string      `json:"id"`
		Short   sarifText   `json:"shortDescription"`
		Full    sarifText   `json:"fullDescription"`
		Help    sarifText   `json:"help"`
		HelpURI string      `json:"helpUri"`
		Default sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Kind      string          `json:"kind"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifBytes struct {
		Offset int `json:"byteOffset"`
		Length int `json:"byteLength"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifBytes `json:"deletedRegion"`
		Inserted sarifText  `json:"insertedContent"`
	}
)

// SARIF writes what was found. What is unknown is left out: SARIF's readers show
// every result as something to act on.
func SARIF(w io.Writer, r Result, rules []Rule, version string) error {
	driver := sarifDriver{Name: "tare", Version: version, InformationURI: "https://github.com/tarebench/tare", Rules: []sarifRule{}}
	index := map[string]int{}
	for i, rule := range rules {
		index[rule.ID] = i
		driver.Rules = append(driver.Rules, sarifRule{rule.ID, sarifText{rule.Title}, sarifText{rule.What}, sarifText{rule.Fix},
			pagesAt + rule.ID + ".md", sarifConfig{string(rule.Severity)}})
	}
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for _, f := range r.Findings {
		if f.Found() {
			run.Results = append(run.Results, resultOf(f, index[f.Rule]))
		}
	}
	if len(r.Unread) > 0 {
		run.Invocations = []sarifInvocation{notificationsOf(r)}
	}
	return encode(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// notificationsOf are the documents that may hold a database and were not read.
func notificationsOf(r Result) sarifInvocation {
	all := sarifInvocation{Successful: true}
	for _, u := range r.Unread {
		all.Notifications = append(all.Notifications, sarifNotification{string(Warning), sarifText{"not read: " + u.Title + ": " + u.Why.String()},
			[]sarifLocation{{sarifPhysical{artifact(u.Where), sarifRegion{max(u.Where.Line, 1), max(u.Where.Column, 1)}}}}})
	}
	return all
}

func resultOf(f Finding, index int) sarifResult {
	text := f.Subject + ": " + strings.TrimSuffix(f.Says, ".")
	if f.Impact != "" {
		text += ". Impact: " + strings.TrimSuffix(f.Impact, ".")
	}
	if f.Fix != "" {
		text += ". Fix: " + f.Fix
	}
	out := sarifResult{RuleID: f.Rule, RuleIndex: index, Level: string(f.Severity), Kind: "fail", Message: sarifText{text},
		Locations: []sarifLocation{{sarifPhysical{artifact(f.Where), sarifRegion{max(f.Where.Line, 1), max(f.Where.Column, 1)}}}}}
	if f.Verdict == Hint && f.Severity != Note {
		out.Level = string(Warning)
	}
	if len(f.Edits) == 0 {
		return out
	}
	fix := sarifFix{Description: sarifText{f.Fix}}
	for _, e := range f.Edits {
		start, end := e.At.Span()
		fix.Changes = append(fix.Changes, sarifChange{artifact(e.At), []sarifReplacement{{sarifBytes{start, end - start}, sarifText{e.Text}}}})
	}
	out.Fixes = []sarifFix{fix}
	return out
}

func artifact(s manifest.Spot) sarifArtifact {
	u := url.URL{Path: filepath.ToSlash(s.File)}
	return sarifArtifact{u.String()}
}
