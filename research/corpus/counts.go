package main

// This file counts what a corpus holds and prints it.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
)

// counts are of documents and findings, by name.
type counts struct {
	files, documents        int
	unreadable              int // places that cannot be read: templates, broken YAML
	fixed                   int // files
	servers, unread, others map[string]int
	findings                map[string]int
}

func newCounts() *counts {
	return &counts{servers: map[string]int{}, unread: map[string]int{}, others: map[string]int{}, findings: map[string]int{}}
}

// add counts a set and what lint says of it.
func (c *counts) add(set *manifest.Set, r diagnose.Result, unreadable int) {
	c.files += len(set.Files)
	c.documents += len(set.Objects)
	c.unreadable += unreadable
	servers, named := map[*manifest.Object]bool{}, map[string]bool{}
	for _, d := range set.Databases() {
		servers[d.Object] = true
		c.servers[d.Object.Kind]++
	}
	for _, u := range r.Unread {
		c.unread[cmp.Or(u.Kind, "of no kind")]++
		named[u.Where.String()] = true
	}
	for _, o := range set.Objects {
		if !servers[o] && !named[o.Value.Spot().String()] {
			c.others[cmp.Or(o.Kind, "of no kind")]++
		}
	}
	for _, f := range r.Findings {
		if f.Found() {
			c.findings[f.Rule]++
		}
	}
}

func (c *counts) print(w io.Writer) {
	fmt.Fprintf(w, "files: %d, documents: %d, places that cannot be read: %d\n", c.files, c.documents, c.unreadable)
	fmt.Fprintf(w, "databases: %s\n", list(c.servers, 0))
	fmt.Fprintf(w, "not read, and may hold a database: %s\n", list(c.unread, 0))
	fmt.Fprintf(w, "no database: %s\n", list(c.others, 20))
	fmt.Fprintf(w, "findings: %s\n", list(c.findings, 0))
	fmt.Fprintf(w, "files fixed: %d\n", c.fixed)
}

// list is the sum and the largest n of the counts, all of them for 0.
func list(of map[string]int, n int) string {
	sum := 0
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	var all []string
	for i, name := range names {
		sum += of[name]
		if n == 0 || i < n {
			all = append(all, fmt.Sprintf("%s %d", name, of[name]))
		}
	}
	if len(all) < len(names) {
		all = append(all, fmt.Sprintf("%d other kinds", len(names)-len(all)))
	}
	if sum == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(all, ", "))
}
