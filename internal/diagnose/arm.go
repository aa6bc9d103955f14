package diagnose

// This file says how a database of a manifest is run as an arm: its resources,
// what its data lies on, and its options.

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

// armSettings are an arm's: the fields of its target, and the server's options.
// Values are as an experiment has them, quoted where YAML wants it.
type armSettings struct {
	fields map[string]string
	config map[string]string
}

// armOf is the database as an arm: its server's container alone, for whatever
// else is in the pod is not tare's to run.
func armOf(db *manifest.Database) armSettings {
	a := armSettings{map[string]string{"target": "process"}, map[string]string{}}
	for _, o := range db.Config.Options {
		a.option(db, o)
	}
	if db.Pod != nil && db.Server != nil {
		a.fields["target"] = "container"
		a.resources(db)
		a.storage(db)
	}
	return a
}

// resources are the server's, or the pod's as a whole where only those are set.
func (a armSettings) resources(db *manifest.Database) {
	from := db.Server.Resources
	if !from.Get("requests").Exists() && !from.Get("limits").Exists() {
		from = db.Pod.Resources
	}
	for _, r := range []struct {
		name  string
		write func(int64) string
	}{{"cpu", milli}, {"memory", func(n int64) string { return strconv.FormatInt(n, 10) }}} {
		limit, request := from.Get("limits", r.name).Amount(r.name), from.Get("requests", r.name).Amount(r.name)
		if limit.Positive() {
			a.fields[r.name] = written(limit, r.write)
		}
		if request.Positive() && request.Value != limit.Value {
			a.fields[r.name+"Request"] = written(request, r.write)
		}
	}
	if len(a.fields) == 1 {
		a.fields["qos"] = string(manifest.BestEffort)
	}
}

// written is an amount as the file has it, where that is a plain quantity.
func written(a manifest.Amount, write func(int64) string) string {
	if text := a.At.Text(); plainQuantity.MatchString(text) {
		return text
	}
	return write(a.Value)
}

var plainQuantity = regexp.MustCompile(`^[0-9]{1,15}(m|[KMGT]i|[kMGT])?$`)

// milli writes thousandths of a CPU.
func milli(n int64) string {
	if n%1000 == 0 {
		return strconv.FormatInt(n/1000, 10)
	}
	return fmt.Sprintf("%dm", n)
}

// storage is what the data lies on: the container's own layer, memory, or a
// volume, which is a directory of this machine as an arm has it anyway.
func (a armSettings) storage(db *manifest.Database) {
	for _, dir := range manifest.DataDirs() {
		mount, volume := db.Pod.Mount(db.Server, dir)
		if !mount.Exists() {
			continue
		}
		if volume.Get("emptyDir", "medium").Text() == "Memory" {
			a.fields["volume"] = "tmpfs"
		}
		return
	}
	if db.Operator == "" {
		a.fields["filesystem"] = "overlay"
	}
}

var (
	// measurable are options that change what a load sees. Names of files and
	// directories mean nothing on another machine, and what replication, TLS or
	// accounts are set to is not the server's alone.
	measurable = regexp.MustCompile(`^(innodb_.*|sync_binlog|binlog_cache_size|max_connections|back_log|thread_cache_size|thread_handling|thread_pool_size|` +
		`table_open_cache|table_definition_cache|skip_name_resolve|general_log|slow_query_log|long_query_time|performance_schema|` +
		`tmp_table_size|max_heap_table_size|sort_buffer_size|join_buffer_size|read_buffer_size|read_rnd_buffer_size|key_buffer_size|query_cache_type|query_cache_size)$`)
	ofFiles = regexp.MustCompile(`dir$|directory$|directories$|path$|_file$|filename$|innodb_dedicated_server`)
)

// option takes over a server's option as it stands; the last setting of a name
// holds, and Option knows which groups count.
func (a armSettings) option(db *manifest.Database, o manifest.Option) {
	if !measurable.MatchString(o.Name) || ofFiles.MatchString(o.Name) {
		return
	}
	last, ok := db.Option(o.Name)
	if !ok {
		return
	}
	value := last.Value
	if strings.Contains(value, "{{") || strings.Contains(value, "${") {
		size, ok := db.Size(last)
		if !ok {
			return
		}
		value = strconv.FormatInt(size, 10)
	}
	a.config[last.Name] = value
}

// text is the arm as YAML on one line.
func (a armSettings) text() string {
	parts := []string{"target: " + a.fields["target"]}
	for _, key := range slices.Sorted(maps.Keys(a.fields)) {
		if key != "target" {
			parts = append(parts, key+": "+strconv.Quote(a.fields[key]))
		}
	}
	if len(a.config) > 0 {
		parts = append(parts, "config: "+flow(a.config))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// flow is a mapping as YAML on one line, in the order of its keys.
func flow(m map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value := m[key]
		if value != "null" {
			value = strconv.Quote(value)
		}
		parts = append(parts, key+": "+value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// patch is what turns a into b, as a merge patch (RFC 7386); "" for nothing.
func (a armSettings) patch(b armSettings) string {
	changed, config := differing(a.fields, b.fields), differing(a.config, b.config)
	text := strings.Trim(flow(changed), "{}")
	if len(config) > 0 {
		if text != "" {
			text += ", "
		}
		text += "config: " + flow(config)
	}
	if text == "" {
		return ""
	}
	return "{" + text + "}"
}

func differing(a, b map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range b {
		if a[key] != value {
			out[key] = value
		}
	}
	for key := range a {
		if _, stays := b[key]; !stays {
			out[key] = "null"
		}
	}
	return out
}
