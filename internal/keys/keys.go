// Package keys lists the names of the facts and metrics of a record, so that what measures and what reads cannot mean
// different names.
//
// A constant whose name ends with Prefix is the beginning of several names. The comment of a fact is its description in
// docs/names.md.
package keys
