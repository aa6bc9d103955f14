package option

// This file says which values an option takes in a release: the table is values.tsv.

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed values.tsv
var valuesText string

// The kinds of values.tsv that known.tsv does not have: one word of a list, and several with commas.
const (
	Word  Kind = "word"
	Words Kind = "words"
)

// Values are what an option takes. Least and Most are the bounds of a number, math.MinInt64 and math.MaxInt64 where it
// has none that is known; Block is what the server rounds a number down to, 1 where it does not. Words are nil where
// they are not known.
type Values struct {
	Kind  Kind
	Least int64
	Most  int64
	Block int64
	Words []string
	// Partial is whether Words are those of the releases around, which differ: the release has some of them.
	Partial bool
}

// goneWords are words that a release which the table lacks removed, by option: MySQL's release notes, 8.0.11, the first
// release of 8.0 for production.
var goneWords = map[string][]string{"sql_mode": {
	"DB2", "MAXDB", "MSSQL", "MYSQL323", "MYSQL40", "NO_AUTO_CREATE_USER", "NO_FIELD_OPTIONS", "NO_KEY_OPTIONS", "NO_TABLE_OPTIONS", "ORACLE", "POSTGRESQL",
}}

// wordsIn are those of a row of the table that a release still has.
func (v Values) wordsIn(product string, in Release, name string) Values {
	if product == MySQL && slices.Compare(in[:], []int{8, 0, 11}) >= 0 {
		v.Words = slices.DeleteFunc(slices.Clone(v.Words), func(w string) bool { return slices.Contains(goneWords[name], w) })
	}
	return v
}

// The bounds of a number where none is known.
const (
	noLeast = math.MinInt64
	noMost  = math.MaxInt64
)

// valueTable has the values by product and option, and by release.
type valueTable map[string]map[string]map[Release]Values

var readValues = sync.OnceValue(func() valueTable {
	t, err := parseValues(valuesText)
	if err != nil {
		panic(err) // a part of the program, which a test reads
	}
	return t
})

// askedReleases are those of values.tsv.
var askedReleases = map[string][]Release{
	MySQL:   {{5, 7, 44}, {8, 0, 39}, {9, 7, 4}},
	MariaDB: {{10, 2, 11}, {10, 5, 23}, {10, 11, 5}, {10, 11, 19}, {11, 4, 5}, {11, 8, 9}},
}

// Asked are the releases of a product whose values are known, the oldest first.
func Asked(product string) []Release { return slices.Clone(askedReleases[product]) }

func parseValues(text string) (valueTable, error) {
	t := valueTable{MySQL: {}, MariaDB: {}}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 8 {
			return nil, fmt.Errorf("read values of options: %q has %d fields, not 8", line, len(fields))
		}
		v, err := parseRow(fields[1:6])
		if err != nil {
			return nil, fmt.Errorf("read values of options: %s: %w", fields[0], err)
		}
		for i, product := range []string{MySQL, MariaDB} {
			if err := t.add(product, fields[0], fields[6+i], v); err != nil {
				return nil, fmt.Errorf("read values of options: %s: %w", fields[0], err)
			}
		}
	}
	return t, nil
}

// parseRow reads kind, least, most, block and words.
func parseRow(fields []string) (Values, error) {
	v := Values{Kind: Kind(fields[0]), Least: noLeast, Most: noMost, Block: 1}
	for i, into := range []*int64{&v.Least, &v.Most, &v.Block} {
		if text := fields[1+i]; text != "-" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return v, fmt.Errorf("number %q: %w", text, err)
			}
			*into = n
		}
	}
	if fields[4] != "-" {
		v.Words = strings.Split(fields[4], ",")
	}
	if !slices.Contains([]Kind{Number, Switch, Word, Words}, v.Kind) {
		return v, fmt.Errorf("kind %q", v.Kind)
	}
	return v, nil
}

func (t valueTable) add(product, name, releases string, v Values) error {
	if releases == "-" {
		return nil
	}
	if t[product][name] == nil {
		t[product][name] = map[Release]Values{}
	}
	for text := range strings.SplitSeq(releases, ",") {
		var r Release
		if _, err := fmt.Sscanf(text, "%d.%d.%d", &r[0], &r[1], &r[2]); err != nil || !slices.Contains(askedReleases[product], r) {
			return fmt.Errorf("release %q is none of those that were asked", text)
		}
		t[product][name][r] = v
	}
	return nil
}

// around are the releases of the table that must agree for a release that is not among them: the one before and the one
// after, with the others of their series, because a change is brought to the older series as well. nil where the
// release is older or newer than all of the table and of another series.
func around(product string, in Release) (all []Release) {
	asked := askedReleases[product]
	if len(asked) == 0 || slices.Contains(asked, in) {
		return []Release{in}
	}
	above, _ := slices.BinarySearchFunc(asked, in, func(a, b Release) int { return slices.Compare(a[:], b[:]) })
	sameSeries := func(a, b Release) bool { return a[0] == b[0] && a[1] == b[1] }
	var next []Release
	for _, i := range []int{above - 1, above} {
		if i >= 0 && i < len(asked) {
			next = append(next, asked[i])
		}
	}
	if len(next) == 1 && !sameSeries(next[0], in) {
		return nil
	}
	for _, r := range asked {
		if slices.ContainsFunc(next, func(n Release) bool { return r == n || sameSeries(r, n) && !sameSeries(r, in) }) {
			all = append(all, r)
		}
	}
	return all
}

// ValuesIn are the values that an option takes in a release, as far as the releases of the table around it agree; ok is
// false where nothing is known.
func ValuesIn(product string, in Release, name string) (v Values, ok bool) {
	rows := readValues()[product][name]
	for i, r := range around(product, in) {
		row, has := rows[r]
		row = row.wordsIn(product, in, name)
		switch {
		case !has || i > 0 && row.Kind != v.Kind:
			return Values{}, false
		case i == 0:
			v, ok = row, true
		default:
			v = v.shared(row)
		}
	}
	return v, ok
}

// shared is what two releases have in common.
func (v Values) shared(other Values) Values {
	if v.Least != other.Least {
		v.Least = noLeast
	}
	if v.Most != other.Most {
		v.Most = noMost
	}
	v.Block = max(v.Block, other.Block)
	if !slices.Equal(v.Words, other.Words) {
		v.Words, v.Partial = either(v.Words, other.Words), true
	}
	return v
}

// either is the words of two lists, none where one of them is not known.
func either(one, other []string) []string {
	if one == nil || other == nil {
		return nil
	}
	all := slices.Clone(one)
	for _, w := range other {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// Strange is the part of a value that is none of the words of its option: of a list the first. "" where all are, or
// where the words are not known. Servers take words in either case, the beginning of one word, and numbers for their
// places in the list.
func (v Values) Strange(value string) string {
	if len(v.Words) == 0 {
		return ""
	}
	parts := []string{value}
	if v.Kind == Words {
		parts = strings.Split(value, ",")
	}
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if _, err := strconv.ParseUint(part, 10, 64); part != "" && err != nil && !v.takes(part) {
			return part
		}
	}
	return ""
}

// takes is whether a word is one of the list, or begins one alone. Some lists of MariaDB take ALL as well.
func (v Values) takes(word string) bool {
	begin := 0
	for _, w := range v.Words {
		if strings.EqualFold(w, word) {
			return true
		}
		if len(w) > len(word) && strings.EqualFold(w[:len(word)], word) {
			begin++
		}
	}
	return begin == 1 || v.Partial && begin > 0 || v.Kind == Words && strings.EqualFold(word, "ALL")
}

// Adjusted is the number that a server takes in place of one that is outside of what its option can be; ok is false
// where it takes the number itself, or where the bounds are not known.
func (v Values) Adjusted(n int64) (taken int64, ok bool) {
	switch {
	case v.Kind != Number:
	case n < v.Least:
		return v.Least, true
	case n > v.Most:
		return v.Most - v.Most%v.Block, true
	}
	return 0, false
}

// Misread is whether the value is none of the words of a switch: the server takes OFF then, with a warning.
func (v Values) Misread(value string) bool {
	return v.Kind == Switch && !slices.ContainsFunc([]string{"ON", "TRUE", "1", "OFF", "FALSE", "0"}, func(w string) bool { return strings.EqualFold(w, value) })
}
