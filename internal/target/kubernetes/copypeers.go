package kubernetes

// What a name in a text is by the words around it, and hosts that are none of the copy's.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// meaning is what a word is by what stands before it.
type meaning int

const (
	unknown meaning = iota
	aHost
	noHost // a schema, a user, a name of a cluster
)

var (
	hostName = regexp.MustCompile(`(?i)(host|service|svc|domain|pod|dns)[_-]?name$`)
	noHosts  = regexp.MustCompile(`(?i)(name|database|databases|schema|user|username|owner|group|password|pwd|chown|id|version|tag|prefix|label|plugin|^-?-?u|^-?-?p|^-?-?db|^use|^on|^exists|^from|^into|^table)$`)
	hosts    = regexp.MustCompile(`(?i)(host|server|service|svc|addr|address|peer|seed|node|join|master|source|primary|donor|endpoint|url|uri|upstream|member|domain|replica)e?s?$|^-h$|^(ping|nslookup|dig|getent|curl|wget|nc|ncat|telnet|ssh|gcomm)$`)

	keyBefore     = regexp.MustCompile("([A-Za-z0-9_.-]+)[\"'`(]*\\s*[:=]?[\"'`(]*\\s*[\"'`(]*$")
	listBefore    = regexp.MustCompile(`[^\s=,"']+,\s*$`)
	shellVariable = regexp.MustCompile(`\$\w+$`)
	numbered      = regexp.MustCompile(`-\d+$`)
)

// meaning of the word that the line has come to.
func (r *renaming) meaning() meaning {
	before := r.line[:r.at]
	for listBefore.MatchString(before) && !strings.Contains(listBefore.FindString(before), "//") {
		before = before[:len(before)-len(listBefore.FindString(before))]
	}
	if listed := listBefore.FindString(before); strings.Contains(listed, "//") || strings.HasSuffix(before, "//") || strings.HasSuffix(strings.TrimRight(before, "'\"`"), "@") {
		return aHost
	}
	key := r.key
	if m := keyBefore.FindStringSubmatch(before); m != nil {
		key = m[1]
	} else if strings.Trim(before, " \"'") != "" {
		return unknown
	}
	switch {
	case hostName.MatchString(key):
		return aHost
	case noHosts.MatchString(key):
		return noHost
	case hosts.MatchString(key):
		return aHost
	}
	return unknown
}

// peerSettings are those of a server's cluster or source.
var peerSettings = regexp.MustCompile(`(?i)(?:(gcomm://)|(?:wsrep[_-]cluster[_-]address|wsrep[_-]sst[_-]donor|group[_-]replication[_-]group[_-]seeds|clone[_-]valid[_-]donor[_-]list|(?:master|source|primary|leader|donor|replication|upstream)[_-]?(?:host|address|server|endpoint|url)s?)["']?\s*[=:]+-?\s*["']?)([^\s"';?]*)`)

// peers says which hosts of a cluster or a source are none of the copy's: it would join them, or replicate from them.
func (h *hostNames) peers(t copyText) (all []string) {
	for line := range strings.SplitSeq(t.asSetting(), "\n") {
		if plain := strings.TrimSpace(line); strings.HasPrefix(plain, "#") || strings.HasPrefix(plain, ";") {
			continue
		}
		for _, m := range peerSettings.FindAllStringSubmatch(line, -1) {
			for host := range strings.SplitSeq(strings.TrimPrefix(m[2], "gcomm://"), ",") {
				host = strings.Trim(host, "`){}")
				if host == "" || h.own(host) || strings.ContainsAny(host, "$%") {
					continue
				}
				all = append(all, fmt.Sprintf("%q is a host of a cluster or a source of replication that is not among the copies", host))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// asSetting is a text of one line behind the name of what it is the value of.
func (t copyText) asSetting() string {
	if t.key == "" || strings.Contains(t.text, "\n") {
		return t.text
	}
	return strings.TrimLeft(t.key, "-") + "=" + t.text
}

// own tells whether a host is the pod itself or of the copy.
func (h *hostNames) own(host string) bool {
	name, _, _ := strings.Cut(strings.Trim(host, "[]"), ":")
	if host == "::1" || name == "localhost" || strings.HasPrefix(name, "127.") || name == "0.0.0.0" || name == "" {
		return true
	}
	for _, of := range h.names {
		if strings.Contains(name, of+CopySuffix) {
			return true
		}
	}
	return false
}

var (
	addresses    = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	urlHosts     = regexp.MustCompile(`://(?:[^\s/@"']*@)?([A-Za-z0-9][A-Za-z0-9.-]*)`)
	clusterHosts = regexp.MustCompile(`\b[a-z0-9][a-z0-9.-]*\.svc\b`)
	hostSettings = regexp.MustCompile(`(?i)(?:host|hostname|addr|address|endpoint)s?["']?\s*[=:]\s*["']?([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*)(?:[\s"',;]|:\d|$)`)
	hostOptions  = regexp.MustCompile(`(?:mysql|maria)\S*\s(?:.*\s)?-h\s*["']?([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*)(?:[\s"';]|$)`)
)

// others notes hosts that are outside of the copies. The copy connects to the same ones.
func (h *hostNames) others(t copyText) (notes []string) {
	var found []string
	for line := range strings.SplitSeq(t.asSetting(), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		found = append(found, addresses.FindAllString(line, -1)...)
		found = append(found, clusterHosts.FindAllString(line, -1)...)
		for _, rule := range []*regexp.Regexp{urlHosts, hostSettings, hostOptions} {
			for _, m := range rule.FindAllStringSubmatch(line, -1) {
				found = append(found, m[1])
			}
		}
		for _, m := range peerSettings.FindAllStringSubmatch(line, -1) {
			if strings.ContainsAny(m[2], "$%") && !h.own(m[2]) {
				notes = append(notes, fmt.Sprintf("%s: hosts of a cluster or a source of replication are computed in the pod (%s): see that they are none of the running database.", t.where(), m[2]))
			}
		}
	}
	slices.Sort(found)
	for _, host := range slices.Compact(found) {
		if !h.own(host) && !strings.HasPrefix(host, "255.") {
			notes = append(notes, fmt.Sprintf("%s: the host %s is not among the copies: the copy uses the same one.", t.where(), host))
		}
	}
	return notes
}
