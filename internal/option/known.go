package option

// This file says which releases have an option, from what servers of them said (known.tsv), and what a server
// does with an option that it does not have.

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Kind is what values an option takes.
type Kind string

// The kinds. A switch has a value as well, a number takes the suffixes of [Bytes].
const (
	Switch  Kind = "switch"
	Number  Kind = "number"
	Decimal Kind = "decimal"
	Text    Kind = "text"
)

//go:embed known.tsv
var knownText string

// known is one option with the releases that have it, by product.
type known struct {
	kind Kind
	in   map[string][]span
}

// span is a first and a last measured series, both of which have the option, and all measured ones between.
type span struct{ first, last Release }

// measuredSeries are the releases of known.tsv.
var measuredSeries = map[string][]Release{
	"mysql":   {{5, 7}, {8, 0}, {8, 4}, {9, 7}},
	"mariadb": {{10, 3}, {10, 5}, {10, 6}, {10, 11}, {11, 4}, {11, 8}},
}

var readKnown = sync.OnceValue(func() map[string]known {
	all, err := parseKnown(knownText)
	if err != nil {
		panic(err) // a part of the program, which a test reads
	}
	return all
})

func parseKnown(text string) (map[string]known, error) {
	all := map[string]known{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 4 {
			return nil, fmt.Errorf("read known options: %q has %d fields, not 4", line, len(fields))
		}
		k := known{kind: Kind(fields[1]), in: map[string][]span{}}
		for i, product := range []string{"mysql", "mariadb"} {
			spans, err := parseSpans(fields[2+i])
			if err != nil {
				return nil, fmt.Errorf("read known options: %s: %w", fields[0], err)
			}
			k.in[product] = spans
		}
		all[fields[0]] = k
	}
	return all, nil
}

func parseSpans(text string) (all []span, err error) {
	if text == "-" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		var s span
		for _, end := range []struct {
			text string
			into *Release
		}{{first, &s.first}, {last, &s.last}} {
			if _, err := fmt.Sscanf(end.text, "%d.%d", &end.into[0], &end.into[1]); err != nil {
				return nil, fmt.Errorf("series %q: %w", end.text, err)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// KindOf is what values an option takes; ok is false for one that no measured server has.
func KindOf(name string) (k Kind, ok bool) {
	found, ok := readKnown()[name]
	return found.kind, ok
}

// Standing is what is known of an option in a release.
type Standing string

// The standings. Refused: the server does not start with it. Undetermined: a plugin or another build may
// have it, or the release lies between measured ones that differ.
const (
	Accepted     Standing = "accepted"
	Refused      Standing = "refused"
	Undetermined Standing = "undetermined"
)

//go:embed ignored.txt
var ignoredText string

// readIgnored are the options that MariaDB ignores (ignored.txt), with the first measured series that does.
var readIgnored = sync.OnceValue(func() map[string]Release {
	all := map[string]Release{}
	for line := range strings.Lines(ignoredText) {
		name, since, later := strings.Cut(strings.TrimSpace(line), "\t")
		if name == "" || name[0] == '#' {
			continue
		}
		all[name] = Release{10, 6}
		if later {
			spans, err := parseSpans(since)
			if err != nil {
				panic(err) // a part of the program, which a test reads
			}
			all[name] = spans[0].first
		}
	}
	return all
})

// Ignored is whether a release accepts an option that it does not list and ignores. MariaDB before 10.6 lists most of
// them. Both 10.11.19 and 11.8.9 ignore all of them, but for those that only 11.8.9 does; what a later release does was
// not measured.
func Ignored(product string, in Release, name string) bool {
	since, ok := readIgnored()[name]
	return product == MariaDB && ok && slices.Compare(in[:], since[:]) >= 0 && slices.Compare(in[:], []int{11, 9, 0}) < 0
}

// Idle is whether a release ignores an option and does not have it: neither do the measured releases around it.
func Idle(product string, in Release, name string) bool {
	if !Ignored(product, in, name) {
		return false
	}
	below, above := neighbours(product, in)
	k := readKnown()[name]
	return !k.has(product, below) && !k.has(product, above)
}

// mayBeIgnored is whether a MariaDB release that was not measured one by one may ignore an option that it does not
// list: one that 10.11 or 11.8 ignores, and one that 10.11 has and a later release has removed. 11.8 was asked.
func mayBeIgnored(product string, in Release, name string) bool {
	if product != MariaDB || in[0] == 11 && in[1] == 8 {
		return false
	}
	_, ignored := readIgnored()[name]
	had := readKnown()[name].has(product, Release{10, 11})
	return ignored || had && slices.Compare(in[:], []int{10, 12, 0}) > 0
}

// neighbours are the nearest measured series of a release: the same twice where it was measured.
func neighbours(product string, in Release) (below, above Release) {
	series, at := measuredSeries[product], Release{in[0], in[1]}
	below, above = series[0], series[len(series)-1]
	for _, m := range series {
		if slices.Compare(m[:], at[:]) <= 0 {
			below = m
		}
	}
	for _, m := range slices.Backward(series) {
		if slices.Compare(m[:], at[:]) >= 0 {
			above = m
		}
	}
	return below, above
}

// Stand is whether a release ("mysql" or "mariadb") has an option. had is the newest measured release of the product
// that has it where this one refuses it, and zero where the product has never had it.
func Stand(product string, in Release, name string) (s Standing, had Release) {
	all := readKnown()
	k, ok := all[name]
	series := measuredSeries[product]
	if !ok || len(series) == 0 || slices.Compare(in[:], series[0][:]) < 0 {
		return Undetermined, Release{}
	}
	at := Release{in[0], in[1]}
	below, above := neighbours(product, in)
	newest := series[len(series)-1]
	hasBelow, hasAbove := k.has(product, below), k.has(product, above)
	for _, m := range series {
		if k.has(product, m) {
			had = m
		}
	}
	switch {
	case hasBelow && hasAbove, Ignored(product, in, name):
		return Accepted, had
	case slices.Compare(at[:], newest[:]) > 0 && hasBelow:
		return Accepted, had
	case hasBelow || hasAbove, mayBeIgnored(product, in, name):
		return Undetermined, had
	case slices.Compare(at[:], newest[:]) > 0 && had == (Release{}):
		return Undetermined, had // a newer release may have got it
	}
	return Refused, had
}

// has is whether a measured series has the option.
func (k known) has(product string, series Release) bool {
	return slices.ContainsFunc(k.in[product], func(s span) bool {
		return slices.Compare(s.first[:], series[:]) <= 0 && slices.Compare(series[:], s.last[:]) <= 0
	})
}

// readFirst is the option that MariaDB reads before all others of such a beginning, so that --m is --max-connections and
// not ambiguous (measured with 10.11.19 and 11.8.9). Those of performance_schema are read with it, and are ambiguous
// among themselves.
const readFirst = "max_connections"

// Expand is the option that a MariaDB server of a release takes an abbreviation for: any beginning of a name that no
// other option of the release has. A zero release is any of known.tsv. MySQL refuses abbreviations, in option files and on
// the command line (measured with 5.7.42, 8.0.46, 8.4.6 and 9.7.4). ok is false where the beginning is no name's, or that of
// several, or where it is not known whether the release has another one.
func Expand(in Release, prefix string) (name string, ok bool) {
	all := readKnown()
	if _, whole := all[prefix]; whole || prefix == "" {
		return "", false
	}
	if strings.HasPrefix(readFirst, prefix) {
		return readFirst, true
	}
	for full, k := range all {
		if len(k.in[MariaDB]) == 0 || !strings.HasPrefix(full, prefix) {
			continue
		}
		standing, _ := Stand(MariaDB, in, full)
		if in != (Release{}) && standing == Refused {
			continue
		}
		if name != "" || len(prefix) < 3 {
			return "", false
		}
		name = full
	}
	return name, name != ""
}

// Ambiguous are two options that a MariaDB server of a release has and that begin with the same letters: it ends with
// "ambiguous option" (measured with 10.11.19), but for the beginnings of max_connections. "" where the letters begin the
// name of one option, or of none, or are one.
func Ambiguous(in Release, prefix string) (one, other string) {
	all := readKnown()
	if _, whole := all[prefix]; whole || len(prefix) < 3 || strings.HasPrefix(readFirst, prefix) {
		return "", ""
	}
	var found []string
	for full := range all {
		if standing, _ := Stand(MariaDB, in, full); standing == Accepted && strings.HasPrefix(full, prefix) {
			found = append(found, full)
		}
	}
	if len(found) < 2 {
		return "", ""
	}
	slices.Sort(found)
	return found[0], found[1]
}

// Between is whether a release lies between a measured one that has the option and the next, which has it no longer.
func Between(product string, in Release, name string) (last, without Release, ok bool) {
	k, known := readKnown()[name]
	if mayBeIgnored(product, in, name) {
		return Release{}, Release{}, false
	}
	at := Release{in[0], in[1]}
	for i, m := range measuredSeries[product] {
		if !known || i == 0 || slices.Compare(m[:], at[:]) <= 0 {
			continue
		}
		before := measuredSeries[product][i-1]
		if slices.Compare(before[:], at[:]) < 0 && k.has(product, before) && !k.has(product, m) {
			return before, m, true
		}
		return Release{}, Release{}, false
	}
	return Release{}, Release{}, false
}

// Near is the option of a product that a misspelt name is meant to be: one that differs by one letter, of at least
// nine, or by two, of at least sixteen. It is "" where there is none or more than one, and for a name that an option of
// either product has, with or without skip_, or that MariaDB may take for the beginning of one. Without a product the
// options of both are looked at.
func Near(product, name string) string {
	if len(name) < 9 || isOption(name) || product != MySQL && begins(name) {
		return ""
	}
	var one, two []string
	for full, k := range readKnown() {
		switch {
		case product != "" && len(k.in[product]) == 0:
		case oneLetter(full, name):
			one = append(one, full)
		case len(name) >= 16 && twoLetters(full, name):
			two = append(two, full)
		}
	}
	if len(one) == 0 {
		one = two
	}
	if len(one) != 1 {
		return ""
	}
	return one[0]
}

// NearWord is the one of an option's words that a misspelt one is meant to be: one that differs by one letter, of at
// least five. It is "" where there is none or more than one.
func NearWord(words []string, got string) (near string) {
	for _, w := range words {
		if len(got) < 5 || !oneLetter(strings.ToUpper(w), strings.ToUpper(got)) {
			continue
		}
		if near != "" {
			return ""
		}
		near = w
	}
	return near
}

// isOption is whether an option of either product has the name, or sets it as maximum_NAME does.
func isOption(name string) bool {
	name = strings.TrimPrefix(name, "maximum_")
	all := readKnown()
	_, is := all[name]
	_, skipped := all["skip_"+name]
	_, ignored := readIgnored()[name]
	return is || skipped || ignored
}

// begins is whether a name is the beginning of an option of MariaDB.
func begins(name string) bool {
	for full, k := range readKnown() {
		if len(k.in[MariaDB]) > 0 && strings.HasPrefix(full, name) {
			return true
		}
	}
	return false
}

// twoLetters is whether one letter was changed, left out or added at each of two places.
func twoLetters(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 2 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	rest, other := a[i:], b[i:]
	if rest == "" || other == "" {
		return len(rest) <= 2
	}
	return sameOrOneLetter(rest[1:], other[1:]) || sameOrOneLetter(rest[1:], other) || sameOrOneLetter(rest, other[1:])
}

func sameOrOneLetter(a, b string) bool { return a == b || oneLetter(a, b) }

// oneLetter is whether one letter was changed, left out, added, or exchanged with the next.
func oneLetter(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) > len(b) {
		return a[i+1:] == b[i:]
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
