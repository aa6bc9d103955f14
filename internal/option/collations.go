package option

// This file says which character sets and collations a release does not have: the table is collations.tsv.

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed collations.tsv
var collationsText string

// askedCollations are the releases of collations.tsv, the oldest first.
var askedCollations = map[string][]Release{MySQL: {{9, 7, 4}}, MariaDB: {{10, 11, 19}, {11, 8, 9}}}

// named are the character sets and collations of one release.
type named struct{ sets, collations map[string]bool }

var readCollations = sync.OnceValue(func() map[string]map[Release]named {
	all, err := parseCollations(collationsText)
	if err != nil {
		panic(err) // a part of the program, which a test reads
	}
	return all
})

func parseCollations(text string) (map[string]map[Release]named, error) {
	all := map[string]map[Release]named{MySQL: {}, MariaDB: {}}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("read collations: %q has %d fields, not 3", line, len(fields))
		}
		for i, product := range []string{MySQL, MariaDB} {
			for text := range strings.SplitSeq(fields[1+i], ",") {
				var r Release
				if text == "-" {
					continue
				}
				if _, err := fmt.Sscanf(text, "%d.%d.%d", &r[0], &r[1], &r[2]); err != nil || !slices.Contains(askedCollations[product], r) {
					return nil, fmt.Errorf("read collations: release %q is none of those that were asked", text)
				}
				if _, is := all[product][r]; !is {
					all[product][r] = named{map[string]bool{}, map[string]bool{}}
				}
				all[product][r].collations[fields[0]] = true
				all[product][r].sets[CharacterSetOf(fields[0])] = true
			}
		}
	}
	return all, nil
}

// CharacterSetOf is the character set that a collation is of, in small letters; utf8 is utf8mb3.
func CharacterSetOf(collation string) string {
	set, _, _ := strings.Cut(modern(collation), "_")
	return set
}

// modern is a name as newer releases write it: utf8mb3 was called utf8.
func modern(name string) string {
	name = strings.ToLower(name)
	if rest, is := strings.CutPrefix(name, "utf8_"); is {
		return "utf8mb3_" + rest
	}
	if name == "utf8" {
		return "utf8mb3"
	}
	return name
}

// LacksCharacterSet is whether a release is known not to have a character set.
func LacksCharacterSet(product string, in Release, name string) bool {
	return lacks(product, in, name, func(n named) map[string]bool { return n.sets })
}

// LacksCollation is whether a release is known not to have a collation.
func LacksCollation(product string, in Release, name string) bool {
	if product == MySQL && in[0] == 5 && strings.Contains(name, "_0900_") { // MySQL 8.0 Reference Manual: as of 8.0.1
		return true
	}
	return lacks(product, in, name, func(n named) map[string]bool { return n.collations })
}

// lacks looks a name up in the first asked release that is not older than the server's. Products add collations and
// remove none, so that what a later release lacks an earlier one lacks as well, but for the names with utf8, which MySQL
// 9.7.4 refuses; of releases that are newer than those asked nothing is known.
func lacks(product string, in Release, name string, of func(named) map[string]bool) bool {
	for _, r := range askedCollations[product] {
		same := r[0] == in[0] && r[1] == in[1]
		if !same && slices.Compare(r[:], in[:]) < 0 {
			continue
		}
		if product == MySQL && same {
			return !of(readCollations()[product][r])[strings.ToLower(name)]
		}
		return !of(readCollations()[product][r])[modern(name)]
	}
	return false
}
