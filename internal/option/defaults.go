package option

// This file gives what servers do where nothing sets an option: the table is defaults.yaml.

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// The products of the table.
const (
	MySQL   = "mysql"
	MariaDB = "mariadb"
)

// anyPatch stands for every patch release of a series, in a Release that ends a range.
const anyPatch = 999

// Span is a range of releases of a product, both ends included.
type Span struct {
	Product  string
	From, To Release
}

// Within is the span of the releases that begin with the numbers: Within(MySQL, 8) is every release
// from 8.0.0 on that is not 9, Within(MySQL) every release.
func Within(product string, numbers ...int) Span {
	s := Span{Product: product, To: Release{anyPatch, anyPatch, anyPatch}}
	copy(s.From[:], numbers)
	copy(s.To[:], numbers)
	return s
}

// Default is what a server does where nothing sets an option.
type Default struct {
	Value string
	// Absent is whether the releases have no such option, Computed whether the server computes the
	// value from the machine or from other options. Value is "" then.
	Absent, Computed bool
	// Newer is the newest release of the table where the release that was asked for is newer: the
	// value is that of this one. "" otherwise.
	Newer string
}

// step is a value from a release on.
type step[V any] struct {
	since Release
	value V
}

// table is defaults.yaml as it is asked.
type table struct {
	first, newest map[string]Release
	options       map[string]map[string][]step[string]
}

//go:embed defaults.yaml
var defaultsText []byte

// readDefaults reads the table once. The text is part of the program, and a test reads it all.
var readDefaults = sync.OnceValue(func() table {
	t, err := parseDefaults(defaultsText)
	if err != nil {
		panic(err)
	}
	return t
})

func parseDefaults(text []byte) (table, error) {
	var file struct {
		Products map[string]struct {
			First, Newest string
			Sources       []string
		}
		Options map[string]map[string]map[string]string
	}
	t := table{map[string]Release{}, map[string]Release{}, map[string]map[string][]step[string]{}}
	if err := yaml.UnmarshalStrict(text, &file); err != nil {
		return t, fmt.Errorf("read the table of defaults: %w", err)
	}
	for name, p := range file.Products {
		var err, err2 error
		t.first[name], err = parseRelease(p.First)
		t.newest[name], err2 = parseRelease(p.Newest)
		if err = cmp.Or(err, err2); err != nil || len(p.Sources) == 0 {
			return t, fmt.Errorf("read the table of defaults: product %s: a release or the source is missing: %w", name, err)
		}
	}
	for option, products := range file.Options {
		var err error
		if t.options[option], err = stepsOf(products); err != nil {
			return t, fmt.Errorf("read the table of defaults: %s: %w", option, err)
		}
	}
	return t, nil
}

// stepsOf are an option's values by product, in the order of the releases since which they hold.
func stepsOf[V any](products map[string]map[string]V) (map[string][]step[V], error) {
	all := map[string][]step[V]{}
	for product, values := range products {
		for since, value := range values {
			r, err := parseRelease(since)
			if err != nil {
				return nil, err
			}
			all[product] = append(all[product], step[V]{r, value})
		}
		slices.SortFunc(all[product], func(a, b step[V]) int { return slices.Compare(a.since[:], b.since[:]) })
	}
	return all, nil
}

func parseRelease(text string) (r Release, err error) {
	parts := strings.Split(text, ".")
	if len(parts) > len(r) {
		return r, fmt.Errorf("release %q has more than three numbers", text)
	}
	for i, part := range parts {
		if r[i], err = strconv.Atoi(part); err != nil {
			return r, fmt.Errorf("release %q: %w", text, err)
		}
	}
	return r, nil
}

// DefaultIn is an option's default in every release of a span. ok is false where the table does not
// have the option or one of the releases, and where the releases differ.
func DefaultIn(s Span, name string) (d Default, ok bool) {
	t := readDefaults()
	steps := t.options[name][s.Product]
	from := s.From
	if first := t.first[s.Product]; from == (Release{}) {
		from = first // a release that is not named is not older than the table
	}
	var value string
	for i, next := range steps {
		last := i+1 == len(steps)
		switch {
		case slices.Compare(next.since[:], s.To[:]) > 0: // it begins later
		case !last && slices.Compare(steps[i+1].since[:], from[:]) <= 0: // it has ended before
		case ok && next.value != value, !ok && slices.Compare(next.since[:], from[:]) > 0:
			return Default{}, false
		default:
			value, ok = next.value, true
		}
	}
	if !ok {
		return Default{}, false
	}
	d = Default{Value: value, Absent: value == "absent", Computed: value == "computed"}
	if d.Absent || d.Computed {
		d.Value = ""
	}
	if newest := t.newest[s.Product]; from[0] > newest[0] || from[0] == newest[0] && from[1] > newest[1] {
		d.Newer = fmt.Sprintf("%d.%d", newest[0], newest[1])
	}
	return d, true
}

// DefaultOfAll is an option's default where the product is not known: that of every release of every
// product. ok is false where they differ.
func DefaultOfAll(name string) (d Default, ok bool) {
	for i, product := range []string{MySQL, MariaDB} {
		next, known := DefaultIn(Within(product), name)
		if !known || i > 0 && next != d {
			return Default{}, false
		}
		d = next
	}
	return d, true
}
