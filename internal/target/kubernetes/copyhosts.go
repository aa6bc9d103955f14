package kubernetes

// Host names of the running database in a text, and what they are in the copy.

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// hostNames are the names under which the pods of the running database are found.
type hostNames struct {
	services  map[string]string // and their copies; "" for a Service that has some of the pods and cannot be copied
	set       string            // the StatefulSet, "" for a Deployment
	replicas  int64
	namespace string // of the manifests, "" where they do not say it
	names     []string
}

// hostNamesOf are those of a workload among the manifests, which is not renamed yet.
func (c *Copied) hostNamesOf(objects Objects, workload *unstructured.Unstructured, template map[string]string) *hostNames {
	h := &hostNames{services: map[string]string{}, namespace: workload.GetNamespace()}
	maps.Copy(h.services, c.names["Service"])
	for _, u := range objects {
		selector, _, _ := unstructured.NestedStringMap(u.Object, "spec", "selector") // absent: it selects nothing
		for key, value := range selector {
			if _, copied := h.services[u.GetName()]; u.GetKind() == "Service" && !copied && template[key] == value {
				h.services[u.GetName()] = "" // a label of one role, which the pods get later
			}
		}
	}
	h.names = slices.Collect(maps.Keys(h.services))
	if workload.GetKind() == "StatefulSet" {
		h.set, h.replicas = workload.GetName(), replicasOf(workload.Object)
		h.names = append(h.names, h.set)
	}
	slices.SortFunc(h.names, func(a, b string) int { return len(b) - len(a) }) // db-peers is no db
	h.names = slices.Compact(h.names)
	return h
}

// generic are names that stand in every server's texts for a program, a user, a directory or a schema.
func generic(name string) bool {
	return slices.Contains([]string{"mysql", "mysqld", "mariadb", "mariadbd", "percona", "galera", "root", "server", "database", "data"}, name)
}

// rename is the text with the names of the copy, in how many places, and what names the running database in a way that is
// not certain. Lines of comments stay.
func (h *hostNames) rename(t copyText) (text string, places int, unclear []string) {
	lines := strings.Split(t.text, "\n")
	for i, line := range lines {
		if plain := strings.TrimSpace(line); strings.HasPrefix(plain, "#") || strings.HasPrefix(plain, ";") {
			continue
		}
		key := t.key
		if len(lines) > 1 && i > 0 {
			key = ""
		}
		r := renaming{hostNames: h, line: line, key: key, text: t}
		for r.at < len(line) {
			r.step()
		}
		lines[i] = h.variables(r.out.String(), &r.places)
		places += r.places
		unclear = append(unclear, r.unclear...)
	}
	return strings.Join(lines, "\n"), places, unclear
}

// variables are renamed that Kubernetes makes for a Service.
func (h *hostNames) variables(line string, places *int) string {
	upper := func(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }
	for _, name := range h.names {
		to := h.services[name]
		if to == "" {
			continue
		}
		made := regexp.MustCompile(`\b` + regexp.QuoteMeta(upper(name)) + `(_SERVICE_HOST|_PORT_\d+_TCP_ADDR)\b`)
		*places += len(made.FindAllString(line, -1))
		line = made.ReplaceAllString(line, upper(to)+"$1")
	}
	return line
}

// renaming goes through a line.
type renaming struct {
	*hostNames
	line, key string
	text      copyText
	at        int
	out       strings.Builder
	places    int
	unclear   []string
}

func inName(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// keep writes the line as it is until end.
func (r *renaming) keep(end int) {
	r.out.WriteString(r.line[r.at:end])
	r.at = end
}

// replace writes a name of the copy for the line until end.
func (r *renaming) replace(end int, by string) {
	r.out.WriteString(by)
	r.at, r.places = end, r.places+1
}

func (r *renaming) doubt(end int, format string, args ...any) {
	shown := strconv.Quote(r.line[r.at:end])
	if line := strings.TrimSpace(r.line); !r.text.secret && line != r.line[r.at:end] {
		shown += " in `" + line[:min(len(line), 160)] + "`"
	}
	r.unclear = append(r.unclear, shown+" "+fmt.Sprintf(format, args...))
	r.keep(end)
}

// step is one word of the line, or a character between words.
func (r *renaming) step() {
	before := r.line[:r.at]
	if within := before != "" && inName(before[len(before)-1]) && !hostOption.MatchString(before); within || strings.HasSuffix(before, "$") || strings.HasSuffix(before, "${") {
		r.keep(r.at + 1)
		return
	}
	for _, name := range r.names {
		rest, ok := strings.CutPrefix(r.line[r.at:], name)
		if !ok {
			continue
		}
		if name == r.set && strings.HasPrefix(rest, "-") {
			if n := ordinal(rest[1:]); n > 0 {
				r.pod(r.at+len(name)+1, r.at+len(name)+1+n)
				return
			}
		}
		if _, is := r.services[name]; is && (rest == "" || !inName(rest[0])) {
			r.service(name, r.at+len(name))
			return
		}
	}
	r.keep(r.at + 1)
}

var hostOption = regexp.MustCompile(`(^|[\s"'(])-h$`) // of mysql: -hdb

var ordinals = regexp.MustCompile(`^(\d+|\$\w+|%[dsi]|\{[0-9., ]+\}|\[[0-9-]+\])`)

// ordinal is the length of the number of a pod at the beginning of a text, or of what a shell makes it of.
func ordinal(text string) int {
	quoted := len(text) - len(strings.TrimLeft(text, `"'`))
	if quoted > 0 && !strings.HasPrefix(text[quoted:], "$") {
		return 0
	}
	if n := expression(text[quoted:]); n > 0 {
		return quoted + n
	}
	if n := len(ordinals.FindString(text[quoted:])); n > 0 {
		return quoted + n
	}
	return 0
}

// expression is the length of $(…), $((…)) or ${…} at the beginning of a text; 0 for none, or one that goes on in the next line.
func expression(text string) int {
	if !strings.HasPrefix(text, "$(") && !strings.HasPrefix(text, "${") {
		return 0
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// inPath is whether what is at the place is part of the name of a file.
func (r *renaming) inPath() bool {
	before := r.line[:r.at]
	return strings.HasSuffix(before, "/") && !strings.HasSuffix(before, "//")
}

// pod is a name of a pod: the number is from number to end.
func (r *renaming) pod(number, end int) {
	to, rest := r.set+CopySuffix+"-"+r.line[number:end], r.line[end:]
	digits, err := strconv.ParseInt(r.line[number:end], 10, 64)
	literal := err == nil
	after, dotted := strings.CutPrefix(rest, ".")
	for _, name := range r.names {
		tail, is := strings.CutPrefix(after, name)
		if by := r.services[name]; dotted && is && by != "" && (tail == "" || !inName(tail[0])) {
			suffix, n, doubt := r.suffix(tail)
			if doubt != "" {
				r.doubt(end+1+len(name)+n, "%s", doubt)
				return
			}
			r.replace(end+1+len(name)+n, to+"."+by+suffix)
			return
		}
	}
	next := after != "" && (inName(after[0]) || after[0] == '$')
	switch {
	case r.inPath(), literal && dotted && next && after[0] >= '0' && after[0] <= '9': // mysql-8.4
		r.keep(end)
	case dotted && next && after[0] == '$':
		r.replace(end, to)
	case dotted && next:
		r.doubt(end+1+len(wordOf(after)), "is a pod of the running database by a name that is not of a copied Service")
	case rest != "" && inName(rest[0]):
		if literal || generic(r.set) {
			r.keep(end)
			return
		}
		r.doubt(end, "may be a name of the running database")
	case literal && digits >= max(r.replicas, 1):
		r.keep(end)
	case !literal && generic(r.set) && r.meaning() != aHost:
		r.doubt(end, "may be a pod of the running database")
	default:
		r.replace(end, to)
	}
}

func wordOf(text string) string { return wordRule.FindString(text) }

var (
	wordRule  = regexp.MustCompile(`^[A-Za-z0-9_.-]*`)
	suffixes  = regexp.MustCompile(`^\.([a-z0-9-]+|\$\w+|\$\([^)]*\)|\$\{[^}]*\})(\.svc(\.[A-Za-z0-9.(){}$_-]*[A-Za-z0-9)}])?)?`)
	fileNames = regexp.MustCompile(`^\.(cnf|conf|ini|sql|sh|py|log|err|sock|pid|ya?ml|json|txt|gz|zst|xb|pem|key|crt|csv|ibd|frm|d|env)\b`)
	portAfter = regexp.MustCompile(`^(:|\s+)([1-9]\d{3,4})\b`)
)

// suffix is what stays of namespace and domain after the name of a Service, n their length in the text. The copy may be in
// another namespace: a name without one is of the pod's own.
func (r *renaming) suffix(rest string) (stays string, n int, doubt string) {
	m := suffixes.FindStringSubmatch(rest)
	switch {
	case m == nil:
		return "", 0, ""
	case strings.HasPrefix(m[1], "$"), m[1] == "svc":
		return m[0], len(m[0]), ""
	case m[1] == r.namespace:
		return "", len(m[0]), ""
	case r.namespace == "":
		return "", len(m[0]), fmt.Sprintf("names the namespace %s, and the manifests do not say theirs (metadata.namespace)", m[1])
	}
	return "", len(m[0]), fmt.Sprintf("names the namespace %s, and the manifests are of namespace %s", m[1], r.namespace)
}

// service is the name of a Service, if it is one here.
func (r *renaming) service(name string, end int) {
	rest, before := r.line[end:], r.line[:r.at]
	m := suffixes.FindStringSubmatch(rest)
	qualified := m != nil && (m[2] != "" || m[1] == "svc" || m[1] == r.namespace || strings.HasPrefix(m[1], "$") && !generic(name))
	meaning := r.meaning()
	ported := portAfter.MatchString(rest) && !(generic(name) && rest[0] != ':')
	if literal, dotted := strings.CutSuffix(before, "."); dotted {
		literal = strings.TrimRight(literal, `"'`)
		if made := strings.HasSuffix(literal, ")") || strings.HasSuffix(literal, "}") || shellVariable.MatchString(literal); !made {
			if numbered.MatchString(literal) || meaning == aHost || qualified {
				r.doubt(end, "is a Service of the running database, with a name before it that is not of a copied pod")
				return
			}
			r.keep(end)
			return
		}
		qualified = true
	}
	switch {
	case !qualified && (r.inPath() || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "(") || strings.HasSuffix(before, "[") && strings.HasPrefix(rest, "]")):
		r.keep(end)
	case qualified || meaning == aHost || ported && meaning != noHost:
		r.host(name, end)
	case meaning == noHost || generic(name) || r.text.note || fileNames.MatchString(rest) || strings.HasPrefix(rest, ": ") || rest == ":":
		r.keep(end)
	case r.services[name] == "":
		r.host(name, end)
	default:
		r.doubt(end, "may be Service %s of the running database, which is %s in the copy", name, name+CopySuffix)
	}
}

// host is the name of a Service that is one.
func (r *renaming) host(name string, end int) {
	to := r.services[name]
	if to == "" {
		r.doubt(end, "is Service %s, which has some of the running database's pods by a label that the copy does not have", name)
		return
	}
	suffix, n, doubt := r.suffix(r.line[end:])
	if doubt != "" {
		r.doubt(end+n, "%s", doubt)
		return
	}
	r.replace(end+n, to+suffix)
}
