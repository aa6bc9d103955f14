package diagnose

// Rules and products: the cases of each rule are read again as of every release of MySQL and MariaDB that the options
// were asked of. No advice names an option that the release refuses, and docs/rules.md says for which releases a rule
// finds something: a new rule is judged for both products there.

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

var (
	imageOfCase = regexp.MustCompile(`(image: *"?)(mysql|mariadb)(:[\w.-]+)?("?)`)
	anyImage    = regexp.MustCompile(`image: |kind: (PerconaXtraDBCluster|PerconaServerMySQL|InnoDBCluster|MariaDB|Cluster)\b`)
	optionOfFix = regexp.MustCompile(`\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:=|: )`)
)

// releasesOf are those of internal/option/known.tsv, newest last.
func releasesOf(product string) []option.Release {
	if product == option.MariaDB {
		return []option.Release{{10, 3, 39}, {10, 5, 23}, {10, 6, 23}, {10, 11, 18}, {11, 4, 5}, {11, 8, 9}}
	}
	return []option.Release{{5, 7, 42}, {8, 0, 46}, {8, 4, 6}, {9, 7, 4}}
}

var productNames = map[string]manifest.Product{option.MySQL: manifest.MySQL, option.MariaDB: manifest.MariaDB}

// judgedByHand are rules whose cases do not say which products they are for: the operator runs one, or the tag is no
// release.
var judgedByHand = map[string]map[string]string{
	"K-OPS-06": {option.MySQL: "all", option.MariaDB: "all"},
	"M-GAL-02": {option.MySQL: "images of Percona XtraDB Cluster"},
	"M-DUR-03": {option.MySQL: "images of Percona XtraDB Cluster", option.MariaDB: "-"},
	"O-ORA-01": {option.MySQL: "all", option.MariaDB: "-"},
	"O-ORA-02": {option.MySQL: "all", option.MariaDB: "-"},
	"O-PXC-02": {option.MySQL: "all", option.MariaDB: "-"},
	"O-PXC-03": {option.MySQL: "all", option.MariaDB: "-"},
	"O-PS-01":  {option.MySQL: "all", option.MariaDB: "-"},
	"O-KB-01":  {option.MySQL: "all", option.MariaDB: "all"},
	"O-MDB-01": {option.MySQL: "-", option.MariaDB: "all"},
}

// TestAdviceFitsTheProduct: see this file's first comment.
func TestAdviceFitsTheProduct(t *testing.T) {
	checked := map[string]int{}
	for _, rule := range Rules() {
		for _, product := range []string{option.MySQL, option.MariaDB} {
			for _, in := range releasesOf(product) {
				checked[product] += rule.advice(t, product, in)
			}
		}
	}
	for _, product := range []string{option.MySQL, option.MariaDB} {
		if checked[product] < 50 {
			t.Errorf("%s: %d options of advice were checked: the search finds no more", product, checked[product])
		}
	}
}

// releases are those of a product for which a rule finds something in its cases: "all", "8.0, 8.4", "-" for none.
func (r Rule) releases(t *testing.T, product string) string {
	t.Helper()
	byHand, judged := judgedByHand[r.ID][product]
	if r.Check == nil {
		return "all" // TestCountersOfMariaDB
	}
	var found []string
	all := releasesOf(product)
	for _, in := range all {
		if r.findsIn(t, product, in) {
			found = append(found, fmt.Sprintf("%d.%d", in[0], in[1]))
		}
	}
	switch {
	case judged && found != nil:
		t.Errorf("%s of %s is judged by hand, and its cases find something: remove it from judgedByHand", r.ID, product)
	case judged:
		return byHand
	case found == nil:
		return "-"
	case len(found) == len(all):
		return "all"
	}
	return strings.Join(found, ", ")
}

// findsIn is whether the rule finds something in its cases, as of a release.
func (r Rule) findsIn(t *testing.T, product string, in option.Release) (found bool) {
	t.Helper()
	r.eachCase(t, product, in, func(_ *txtar.Archive, _ string, f Finding) { found = true })
	return found
}

// advice checks that no fix of the rule names an option that a release refuses, and counts the options.
func (r Rule) advice(t *testing.T, product string, in option.Release) (options int) {
	t.Helper()
	r.eachCase(t, product, in, func(a *txtar.Archive, kind string, f Finding) {
		for _, m := range optionOfFix.FindAllStringSubmatch(f.Fix+"\n"+f.Change, -1) {
			if _, known := option.KindOf(m[1]); !known || setIn(a, kind, m[1]) {
				continue
			}
			options++
			if standing, _ := option.Stand(product, in, m[1]); standing == option.Refused {
				t.Errorf("%s/%s with %s %v: the advice names %s, which this release refuses: %s %s", r.ID, kind, product, in, m[1], f.Fix, f.Change)
			}
		}
	})
	return options
}

// eachCase reads the rule's cases as of a release, by the image of the official family, or by --server-version where a
// case has no image.
func (r Rule) eachCase(t *testing.T, product string, in option.Release, found func(*txtar.Archive, string, Finding)) {
	t.Helper()
	if r.Check == nil {
		return
	}
	a, err := txtar.ParseFile(filepath.Join("testdata", r.ID+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	image := fmt.Sprintf("%s:%d.%d.%d", product, in[0], in[1], in[2])
	named, changed := map[string]bool{}, map[string]bool{} // cases with an image, and with one of the official family
	for i, f := range a.Files {
		kind, _, _ := strings.Cut(f.Name, "/")
		named[kind] = named[kind] || anyImage.Match(f.Data)
		changed[kind] = changed[kind] || imageOfCase.Match(f.Data)
		a.Files[i].Data = imageOfCase.ReplaceAll(f.Data, []byte("${1}"+image+"${4}"))
	}
	for _, kind := range kindsOf(a) {
		facts := Facts{}
		if named[kind] && !changed[kind] {
			continue
		}
		if !named[kind] {
			facts.Assumed.Product, facts.Assumed.Version = productNames[product], manifest.Version{Major: in[0], Minor: in[1], Patch: in[2]}
		}
		for _, f := range lintCaseWith(t, a, kind, r, facts).Findings {
			if f.Found() {
				found(a, kind, f)
			}
		}
	}
}

// setIn is whether the files of a case have the option: then it is M-VER-01 that says what the release does with it.
func setIn(a *txtar.Archive, kind, name string) bool {
	return slices.ContainsFunc(a.Files, func(f txtar.File) bool {
		return strings.HasPrefix(f.Name, kind+"/") && strings.Contains(strings.ReplaceAll(string(f.Data), "-", "_"), name)
	})
}

// TestCountersOfMariaDB: a rule of counters that MariaDB 10.11 and later do not have says here what it does there.
func TestCountersOfMariaDB(t *testing.T) {
	// Asked of 10.11.19, 11.4.5 and 11.8.9, with performance_schema on.
	lacks := []string{keys.MySQLInnoDBOSLogFsyncs, keys.MySQLInnoDBRedoLogCapacityResized, keys.MySQLFileRedoSyncNS}
	there := map[string]string{
		"M-DUR-01": "takes Innodb_data_fsyncs in its place and says so",
		"C-IO-02":  "unknown: the fsyncs of the redo log are not timed",
		"C-IO-04":  "Innodb_checkpoint_age and innodb_log_file_size",
	}
	for _, rule := range Rules() {
		missing := slices.ContainsFunc(rule.Counters, func(name string) bool { return slices.Contains(lacks, name) })
		if _, said := there[rule.ID]; rule.Run != nil && missing != said {
			t.Errorf("%s: reads a counter that MariaDB lacks: %v; is listed: %v", rule.ID, missing, said)
		}
	}
}
