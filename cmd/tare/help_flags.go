package main

// Flags in help: what stands for a flag's value there.

import (
	"strings"

	"github.com/spf13/pflag"
)

// placeholders stand for the values of flags whose own name would not say what they take.
func placeholders() map[string]string {
	return map[string]string{
		"allow": "WHAT", "apply": "DIR", "base-image": "IMAGE", "binary": "ARCH=FILE", "ca": "FILE", "color": "WHEN", "experiment": "FILE", "fail-if": "CONDITION",
		"filename": "FILE", "history": "DIR", "ignore": "RULES", "kubeconfig": "FILE", "listen": "ADDRESS", "live": "ADDRESS", "log": "FILE", "machine": "NAME=DIR",
		"metrics": "ADDRESS", "mysql-ignore-errors": "CODES", "mysql-ssl-ca": "FILE", "node": "NAME", "on-error": "ACTION", "out": "PATH",
		"packets": "FILE", "probe-namespace": "NAMESPACE", "program": "FILE", "push": "REFERENCE", "rate-schedule": "RATES", "report-json": "FILE", "resume": "DIR",
		"service-account": "NAME", "spec": "FILE", "state": "DIR", "storage-class": "NAME", "tls": "MODE", "workload": "FILE",
	}
}

// forHelp is a flag as help prints it: --filename FILE where pflag would print
// --filename stringArray.
func forHelp(f *pflag.Flag) *pflag.Flag {
	switch f.Value.Type() {
	case "string", "stringSlice", "stringArray", "stringToString":
	default:
		return f
	}
	word := placeholders()[f.Name]
	switch {
	case strings.HasPrefix(f.Usage, "file "): // --node of lint, and not that of run
		word = "FILE"
	case word == "":
		word = strings.ToUpper(f.Name[strings.LastIndexByte(f.Name, '-')+1:])
	}
	shown := *f
	shown.Value = shownValue{f.Value, word}
	if shown.DefValue == "[]" { // of a list that is empty
		shown.DefValue = ""
	}
	return &shown
}

// shownValue is a value with another name of its type.
type shownValue struct {
	pflag.Value
	word string
}

// Type is pflag.Value's.
func (v shownValue) Type() string { return v.word }
