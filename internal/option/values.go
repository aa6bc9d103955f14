package option

// This file says which values an option takes: the table is values.yaml.

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed values.yaml
var valuesText []byte

// bounds are the least and the greatest number, 0 where a server has none or it was not measured.
type bounds struct{ least, most int64 }

type valueTable struct {
	words   map[string]map[string][]step[[]string] // by option and product; no words where they are not known
	numbers map[string]map[string]bounds
}

var readValues = sync.OnceValue(func() valueTable {
	t, err := parseValues(valuesText)
	if err != nil {
		panic(err) // a part of the program, which a test reads
	}
	return t
})

func parseValues(text []byte) (valueTable, error) {
	var file struct {
		Sources []string
		Words   map[string]map[string]map[string][]string
		Numbers map[string]map[string][]string
	}
	t := valueTable{map[string]map[string][]step[[]string]{}, map[string]map[string]bounds{}}
	if err := yaml.UnmarshalStrict(text, &file); err != nil {
		return t, fmt.Errorf("read the table of values: %w", err)
	}
	if len(file.Sources) == 0 {
		return t, fmt.Errorf("read the table of values: the sources are missing")
	}
	for name, products := range file.Words {
		var err error
		if t.words[name], err = stepsOf(products); err != nil {
			return t, fmt.Errorf("read the table of values: %s: %w", name, err)
		}
	}
	for name, products := range file.Numbers {
		t.numbers[name] = map[string]bounds{}
		for product, pair := range products {
			if len(pair) == 0 {
				continue
			}
			least, ok := Bytes(pair[0])
			most, ok2 := Bytes(pair[len(pair)-1])
			if !ok || !ok2 || len(pair) != 2 {
				return t, fmt.Errorf("read the table of values: %s: %v is no range", name, pair)
			}
			t.numbers[name][product] = bounds{least, most}
		}
	}
	return t, nil
}

// Words are the words that an option takes in a release; ok is false where they are not known.
func Words(product string, in Release, name string) (words []string, ok bool) {
	for _, step := range readValues().words[name][product] {
		if slices.Compare(step.since[:], in[:]) <= 0 {
			words = step.value
		}
	}
	return words, len(words) > 0
}

// Strange is the part of a value that is none of the words of its option: of a list the first. "" where all are, or
// where the words are not known. Servers take words in either case, and numbers for their places in the list.
func Strange(product string, in Release, name, value string) string {
	words, ok := Words(product, in, name)
	if !ok {
		return ""
	}
	parts := []string{value}
	if name == "sql_mode" || name == "log_output" {
		parts = strings.Split(value, ",")
	}
	for _, part := range parts {
		part = strings.TrimSpace(part)
		_, err := strconv.ParseUint(part, 10, 64)
		if part != "" && err != nil && !slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, part) }) {
			return part
		}
	}
	return ""
}

// Adjusted is the number that a server takes in place of one that is outside of what its option can be; ok is false
// where it takes the number itself, or where the bounds are not known.
func Adjusted(product, name string, n int64) (taken int64, ok bool) {
	b, known := readValues().numbers[name][product]
	switch {
	case !known:
	case n < b.least:
		return b.least, true
	case b.most > 0 && n > b.most:
		return b.most, true
	}
	return 0, false
}
