package diagnose

// This file fits a proposal to the server that measures it: the files may be for
// another release than the one at hand. What cannot be measured as it is written is
// said, and nothing is left out silently.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

// pin sets the defaults that changes replace, or what the operator sets in their place,
// explicitly in the arm: the server that measures may be of another release, with another
// default, is not run by the operator, and the experiment may set the option for all arms.
func (a armSettings) pin(db *manifest.Database, changes []Change) (pinned []string) {
	for _, c := range changes {
		for _, name := range slices.Sorted(maps.Keys(c.config())) {
			if _, set := a.config[name]; set {
				continue
			}
			if s := db.Setting(name); s.State != manifest.Unknown && s.Value != "" {
				a.config[name] = s.Value
				pinned = append(pinned, name)
			}
		}
	}
	return pinned
}

// config are the options that a change sets; those that it removes are "".
func (c Change) config() map[string]string {
	var patch struct{ Config map[string]any }
	if err := yaml.Unmarshal([]byte(c.Patch), &patch); err != nil {
		return nil
	}
	all := map[string]string{}
	for name, value := range patch.Config {
		all[name] = ""
		if value != nil {
			all[name] = fmt.Sprint(value)
		}
	}
	return all
}

// Options are all options that the experiment would set, by name, each with the value
// of the arm or else that of a change.
func (p Proposal) Options() map[string]string {
	all := map[string]string{}
	for _, c := range p.Changes {
		maps.Copy(all, c.config())
	}
	maps.Copy(all, p.settings.config)
	return all
}

// ForServer leaves out the options that a server refuses, each with the server's
// reason, and the changes of them. The size of the redo log is kept under its other
// name. Notes says what differs from the files.
func (p Proposal) ForServer(server string, refused map[string]string) Proposal {
	if len(refused) == 0 {
		return p
	}
	arm := armSettings{maps.Clone(p.settings.fields), maps.Clone(p.settings.config)}
	arm.redoCapacity(refused)
	for _, name := range slices.Sorted(maps.Keys(p.settings.config)) {
		reason, out := refused[name]
		if !out {
			continue
		}
		delete(arm.config, name)
		if !slices.Contains(p.pinned, name) { // those are not in the files
			p.Notes = append(p.Notes, fmt.Sprintf("%s=%s is left out, %s does not accept it: %s", name, p.settings.config[name], server, reason))
		}
	}
	for name, value := range arm.config {
		if p.settings.config[name] != value {
			p.Notes = append(p.Notes, fmt.Sprintf("%s=%s replaces the size and number of the log files", name, value))
		}
	}
	var kept []Change
	for _, c := range p.Changes {
		if name, out := refusedOf(c, refused); out {
			p.Unmeasured = append(p.Unmeasured, LeftOut{c.Finding, fmt.Sprintf("%s does not accept %s: %s", server, name, refused[name])})
			continue
		}
		kept = append(kept, c)
	}
	p.Changes, p.settings, p.Arm = kept, arm, arm.text()
	return p
}

func refusedOf(c Change, refused map[string]string) (name string, out bool) {
	for _, name := range slices.Sorted(maps.Keys(c.config())) {
		if _, out := refused[name]; out {
			return name, true
		}
	}
	return "", false
}

// redoCapacity replaces the size and number of the redo log's files, which 9.7 no
// longer knows, by the capacity that they amount to.
func (a armSettings) redoCapacity(refused map[string]string) {
	text, set := a.config["innodb_log_file_size"]
	_, gone := refused["innodb_log_file_size"]
	_, has := a.config["innodb_redo_log_capacity"]
	_, none := refused["innodb_redo_log_capacity"]
	if !set || !gone || has || none {
		return
	}
	size, ok := option.Bytes(text)
	files := int64(2) // MySQL's default
	if n := a.config["innodb_log_files_in_group"]; n != "" {
		if _, err := fmt.Sscan(strings.TrimSpace(n), &files); err != nil {
			return
		}
	}
	if ok && size > 0 && files > 0 && files <= 100 {
		a.config["innodb_redo_log_capacity"] = manifest.MySize(size * files)
	}
}
