package option

// This file says which release series get no more fixes: the table is ended.yaml.

import (
	_ "embed"
	"fmt"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed ended.yaml
var endedText []byte

var readEnded = sync.OnceValue(func() map[string]map[Release]string {
	t, err := parseEnded(endedText)
	if err != nil {
		panic(err) // a part of the program, which a test reads
	}
	return t
})

func parseEnded(text []byte) (map[string]map[Release]string, error) {
	var file struct {
		Sources []string
		Ended   map[string]map[string]string
	}
	if err := yaml.UnmarshalStrict(text, &file); err != nil {
		return nil, fmt.Errorf("read ended series: %w", err)
	}
	if len(file.Sources) == 0 {
		return nil, fmt.Errorf("read ended series: the sources are missing")
	}
	all := map[string]map[Release]string{}
	for product, series := range file.Ended {
		all[product] = map[Release]string{}
		for text, end := range series {
			var r Release
			if _, err := fmt.Sscanf(text, "%d.%d", &r[0], &r[1]); err != nil {
				return nil, fmt.Errorf("read ended series: %s %q: %w", product, text, err)
			}
			all[product][r] = end
		}
	}
	return all, nil
}

// Ended is since when a series has had no public fixes, as YYYY-MM or YYYY-MM-DD; short is whether it was a short-term
// series, whose end is that a later one replaced it. ok is false for a series that is maintained, or not known.
func Ended(product string, in Release) (since string, short, ok bool) {
	since, ok = readEnded()[product][Release{in[0], in[1]}]
	if since == "short-term" {
		return "", true, true
	}
	return since, false, ok
}
