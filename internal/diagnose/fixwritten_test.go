package diagnose

// Fixes that name fields of the files are made by hand here, and the rules look at the files again: the finding is gone
// or less grave, and no other error or warning is new. A fix that names a value and is in neither of the two tables
// fails the test.

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/manifest"
)

// inFields is a fix in words, and the fields that it asks for: the object of the database ("object"), its pod ("pod"),
// the container of the server ("server"), or all objects of a kind. $1 and so on are the groups of the pattern; the
// value is YAML.
type inFields struct {
	pattern *regexp.Regexp
	fields  [][3]string
}

func writtenFixes() []inFields {
	fix := func(pattern string, fields ...[3]string) inFields {
		return inFields{regexp.MustCompile(pattern), fields}
	}
	return []inFields{
		fix(`^terminationGracePeriodSeconds: (\d+)`, [3]string{"pod", "terminationGracePeriodSeconds", "$1"}),
		fix(`^startupProbe: \{tcpSocket or exec`, [3]string{"server", "startupProbe", "{tcpSocket: {port: 3306}, periodSeconds: 10, failureThreshold: 60}"}),
		fix(`^startupProbe: \{periodSeconds: (\d+), failureThreshold: (\d+)\}`, [3]string{"server", "startupProbe.periodSeconds", "$1"}, [3]string{"server", "startupProbe.failureThreshold", "$2"}),
		fix(`^timeoutSeconds: (\d+) and failureThreshold: (\d+) in (livenessProbe|startupProbe)`, [3]string{"server", "$3.timeoutSeconds", "$1"}, [3]string{"server", "$3.failureThreshold", "$2"}),
		fix(`^timeoutSeconds: (\d+) and failureThreshold: (\d+) in (spec\.\S+)`, [3]string{"object", "$3.timeoutSeconds", "$1"}, [3]string{"object", "$3.failureThreshold", "$2"}),
		fix(`^failureThreshold: (\d+) in (livenessProbe|readinessProbe)$`, [3]string{"server", "$2.failureThreshold", "$1"}),
		fix(`^periodSeconds: (\d+)`, [3]string{"server", "livenessProbe.periodSeconds", "$1"}, [3]string{"server", "readinessProbe.periodSeconds", "$1"}),
		fix(`^maxUnavailable: (\d+)`, [3]string{"PodDisruptionBudget", "spec.maxUnavailable", "$1"}, [3]string{"PodDisruptionBudget", "spec.minAvailable", "null"}),
		fix(`^(spec\.[\w.]+): (\d+)$`, [3]string{"object", "$1", "$2"}),
		fix(`^(spec\.router\.podSpec): (\{.*\})$`, [3]string{"object", "$1", "$2"}),
		fix(`^cpu: "(\d+)"$`, [3]string{"server", "resources.limits.cpu", `"$1"`}, [3]string{"server", "resources.requests.cpu", `"$1"`}),
		fix(`^memory: at most (\S+)$`, [3]string{"server", "resources.limits.memory", "$1"}, [3]string{"server", "resources.requests.memory", "$1"}),
		fix(`^set a CPU limit and request of at least (\d+)`, [3]string{"server", "resources.limits.cpu", `"$1"`}, [3]string{"server", "resources.requests.cpu", `"$1"`}),
		fix(`^iops: "(\d+)"`, [3]string{"StorageClass", "parameters.iops", `"$1"`}),
		fix(`^traffic\.sidecar\.istio\.io/excludeInboundPorts: "(\d+)"`, [3]string{"template", "metadata.annotations", `{traffic.sidecar.istio.io/excludeInboundPorts: "$1"}`}),
	}
}

// unwritten are fixes with a value that is no field of the database's files, with the reason.
func unwritten() map[string]string {
	return map[string]string{
		`LimitNOFILE=`:                         "a setting of the node's container runtime",
		`upgrade the (kubelet|kernel)`:         "a release of the node",
		`kubeReserved: `:                       "a setting of the kubelet, whose size the node's operator knows",
		`^a quota of at least |^max of at`:     "the owner of the namespace decides; the bound is what one pod asks for",
		`^a volume of at least|^together: a`:   "the size of a volume costs money; the bound is the smallest without the finding",
		`^a PodDisruptionBudget with`:          "an object that the files do not have; written with its value it is K-OPS-01's own silent case",
		`of what it needs|if it never needs`:   "another container's need is not in the files",
		`the requests and limits of `:          "an init container of an operator, which it merges by name",
		`95th percentile`:                      "a percentile and no value",
		`large enough for the buffer pool`:     "names a rule and no value",
		`mebibytes are meant`:                  "asks what was meant",
		`^no single value fits`:                "says that none is right, with what the server needs",
		`hugepages-\d`:                         "pages of the node",
		`\{\{containerMemoryLimit \* 7/10\}\}`: "a template of the operator, which the operator computes",
		`^use a StorageClass with type: gp3`:   "names a type of volume and no value",
		`equal requests and limits for cpu`:    "the size of the server is not in the files",
		`^remove |loose_`:                      "an option that goes",
		`with one letter of `:                  "says how numbers are written",
		`without `:                             "a word that goes",
		`^a request of at most the limit`:      "which of the two is meant is not in the files",
		`such as 2 or 1500m|such as 2Gi or`:    "says how quantities are written",
		`^(memory|storage): \d`:                "what an unreadable quantity seems to mean",
		`^the same \S+ in requests and limits`: "which of the two is meant is not in the files",
		`^set requests\.\w+ to at most \d`:     "of another container",
	}
}

func TestEveryFixWithAValueIsJudged(t *testing.T) {
	judged, used := 0, map[string]bool{}
	for name, kinds := range everyCase(t) {
		for kind, a := range kinds {
			set, facts := caseOf(t, a, kind)
			for i, db := range set.Databases() {
				for _, f := range Lint(set, facts, Rules()).Findings {
					if !f.Found() || f.Subject != db.Title() {
						continue
					}
					for _, one := range strings.Split(f.Fix, "; or ") {
						if _, names := changeOf(one); names || !hasValue.MatchString(one) {
							continue // TestFixesInWordsAreJudged
						}
						if w, m := writtenFor(one); m != nil {
							judged++
							judgeWritten(t, name+" "+kind, a, kind, facts, i, f, one, w, m)
							continue
						}
						why := ""
						for pattern := range unwritten() {
							if regexp.MustCompile(pattern).MatchString(one) {
								why, used[pattern] = pattern, true
							}
						}
						if why == "" {
							t.Errorf("%s %s: %s: %q has a value that nothing judges", name, kind, f.Rule, one)
						}
					}
				}
			}
		}
	}
	if judged < 20 || len(used) < 10 {
		t.Errorf("only %d fixes were made, and %d reasons used", judged, len(used))
	}
}

var hasValue = regexp.MustCompile(`\d`)

func writtenFor(text string) (inFields, []string) {
	for _, w := range writtenFixes() {
		if m := w.pattern.FindStringSubmatch(text); m != nil {
			return w, m
		}
	}
	return inFields{}, nil
}

// judgeWritten makes a fix in the files of a case, and looks at them again.
func judgeWritten(t *testing.T, name string, a *txtar.Archive, kind string, facts Facts, i int, f Finding, text string, w inFields, m []string) {
	t.Helper()
	before, _ := caseOf(t, a, kind)
	db := before.Databases()[i]
	var sources []manifest.Source
	for _, file := range a.Files {
		dir, base, ok := strings.Cut(file.Name, "/")
		if kind == "" && !ok {
			dir, base = "", file.Name
		}
		if dir != kind || base == "right" || base == "node.yaml" {
			continue
		}
		data := file.Data
		if strings.HasSuffix(base, ".yaml") {
			data = rewritten(t, data, db, w, m)
		}
		sources = append(sources, manifest.Source{Name: base, Text: data})
	}
	after := readAll(t, sources...)
	was, is := surroundings(before, facts), surroundings(after, facts)
	was.DB, is.DB = db, after.Databases()[i]
	if amounts := amountsOf(w, m); len(amounts) > 0 { // of an operator's resource they are elsewhere
		is = was
		is.DB = db.With(manifest.Change{Resources: amounts})
	}
	old, now := unjudged(&was, Rules()), unjudged(&is, Rules())
	if weight(now, f.Rule) >= weight(old, f.Rule) {
		t.Errorf("%s: %s is there after %q", name, f.Rule, text)
	}
	for rule, n := range grave(now) {
		ofWholeCPUs := strings.HasPrefix(rule, "K-CPU-") || strings.HasPrefix(rule, "M-CPU-02") || strings.HasPrefix(rule, "M-GAL-02") // hints by the number of CPUs
		if n > grave(old)[rule] && !ofWholeCPUs {
			t.Errorf("%s: %s: %q leads to %s", name, f.Rule, text, rule)
		}
	}
}

// amountsOf are the resources of the server's container that a fix sets: "limits.cpu", "2".
func amountsOf(w inFields, m []string) map[string]string {
	all := map[string]string{}
	for _, field := range w.fields {
		if amount, ok := strings.CutPrefix(field[1], "resources."); ok && field[0] == "server" {
			all[amount] = strings.Trim(expand(field[2], m), `"`)
		}
	}
	return all
}

// rewritten is the text of a file with the fields of a fix.
func rewritten(t *testing.T, text []byte, db *manifest.Database, w inFields, m []string) []byte {
	t.Helper()
	var out []string
	for _, document := range strings.Split(string(text), "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil || object == nil {
			return text // several values for one key, anchors, or a template
		}
		for _, field := range w.fields {
			if at := targetOf(object, field[0], db); at != nil {
				var value any
				if err := yaml.Unmarshal([]byte(expand(field[2], m)), &value); err != nil {
					t.Fatal(err)
				}
				put(at, strings.Split(expand(field[1], m), "."), value)
			}
		}
		made, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(made))
	}
	return []byte(strings.Join(out, "---\n"))
}

func expand(text string, m []string) string {
	for i := len(m) - 1; i > 0; i-- {
		text = strings.ReplaceAll(text, "$"+string(rune('0'+i)), m[i])
	}
	return text
}

// targetOf is the mapping of a document that a field is in; nil where it has none.
func targetOf(object map[string]any, target string, db *manifest.Database) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	own := object["kind"] == db.Object.Kind && metadata["name"] == db.Object.Name
	pod := object
	for _, key := range map[string][]string{"Pod": {"spec"}, "CronJob": {"spec", "jobTemplate", "spec", "template", "spec"}}[db.Object.Kind] {
		pod, _ = pod[key].(map[string]any)
	}
	template, _ := object["spec"].(map[string]any)
	template, _ = template["template"].(map[string]any)
	if db.Object.Kind == "Pod" {
		template = object
	}
	if db.Object.Kind != "Pod" && db.Object.Kind != "CronJob" {
		pod, _ = template["spec"].(map[string]any)
	}
	switch {
	case target == "object" && own:
		return object
	case target == "pod" && own:
		return pod
	case target == "template" && own:
		return template
	case target == "server" && own && db.Server != nil:
		containers, _ := pod["containers"].([]any)
		for _, c := range containers {
			if c, ok := c.(map[string]any); ok && c["name"] == db.Server.Name {
				return c
			}
		}
	case object["kind"] == target:
		return object
	}
	return nil
}

// put sets a field, and makes the mappings above it, but for a probe that the container does not have.
func put(at map[string]any, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		next, ok := at[key].(map[string]any)
		if !ok {
			if strings.HasSuffix(key, "nessProbe") {
				return
			}
			next = map[string]any{}
			at[key] = next
		}
		at = next
	}
	if value == nil {
		delete(at, path[len(path)-1])
		return
	}
	last := path[len(path)-1]
	if more, ok := value.(map[string]any); ok {
		if old, ok := at[last].(map[string]any); ok {
			maps.Copy(old, more)
			return
		}
	}
	at[last] = value
}
