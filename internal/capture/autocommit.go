package capture

// This file finds out whether a session works with autocommit. With autocommit=0 no statement begins
// a transaction: the first statement after the end of the one before does (MySQL Reference Manual,
// "autocommit, Commit, and Rollback"). Pools of JDBC connections and drivers of Python work like this.

import "regexp"

// autocommit is what is known of a session's variable.
type autocommit uint8

const (
	unsaid autocommit = iota
	on
	off
)

// setsAutocommit is an assignment in a SET statement, with its scope and value.
var setsAutocommit = regexp.MustCompile("(?i)(?:^\\s*SET\\s+|,\\s*)(?:(GLOBAL|PERSIST|PERSIST_ONLY|SESSION|LOCAL)\\s+)?(?:@@(?:(GLOBAL|PERSIST|PERSIST_ONLY|SESSION|LOCAL)\\.)?)?`?autocommit`?\\s*:?=\\s*['\"]?(\\w*)")

// switched is what a statement says of autocommit: it is a SET of this session's value. The value is
// unsaid if the statement has no literal.
func switched(statement string) (to autocommit, ok bool) {
	if len(statement) > longestSet {
		return unsaid, false
	}
	for _, m := range setsAutocommit.FindAllStringSubmatch(withoutComments(statement), -1) {
		scope := m[1] + m[2]
		if scope != "" && scope[0] != 's' && scope[0] != 'S' && scope[0] != 'l' && scope[0] != 'L' {
			continue
		}
		switch m[3] {
		case "0", "off", "OFF", "Off", "false", "FALSE", "False":
			to = off
		case "1", "on", "ON", "On", "true", "TRUE", "True":
			to = on
		default:
			to = unsaid
		}
		ok = true
	}
	return to, ok
}

// longestSet bounds the search: a SET statement of a driver is shorter.
const longestSet = 4 << 10

var comment = regexp.MustCompile(`(?s)/\*.*?\*/`)

func withoutComments(statement string) string { return comment.ReplaceAllString(statement, " ") }

// evidence counts what the events of a session show where no SET does.
type evidence struct {
	// off is COMMIT or ROLLBACK after statements without BEGIN, on is BEGIN after such statements.
	on, off int
	// maybe is COMMIT or ROLLBACK after such statements and others that are missing; begun is BEGIN. A session that
	// sends BEGIN needs no other way.
	maybe, begun int
	forgets      bool // see beginsWith
}

// says is the value that the evidence is for. A session that shows both is not known, and one that
// shows nothing works as the others do by default.
func (e evidence) says(byDefault autocommit) (value autocommit, contradicts bool) {
	switch {
	case e.off > 0 && e.off >= clear*e.on:
		return off, false
	case e.on > 0 && e.on >= clear*e.off:
		return on, false
	case e.off+e.on > 0, e.maybe > 0 && e.begun == 0:
		return unsaid, true
	}
	return byDefault, false
}

// clear is how many times as often a session must show one value as the other: a statement that the
// log does not have can make a few look like the other.
const clear = 10

// observe looks at the statements of a session that no SET tells about.
func (e *evidence) observe(events []event, verbs []verb) {
	var at place
	for i, ev := range events {
		if ev.gap {
			at = at.afterGap(e.forgets)
		}
		switch {
		case ev.resets:
			at = place{synced: true}
		case ev.switches:
			at = place{synced: true, value: ev.autocommit}
		case verbs[i] == begins:
			if at.synced && at.works > 0 && at.value == unsaid {
				e.on++
			}
			e.begun++
			at = place{synced: true, inBegin: true, value: at.value}
		case verbs[i] == commits, verbs[i] == rollback:
			if at.value == unsaid && !at.inBegin {
				e.off += btoi(at.synced && at.works > 0)
				e.maybe += btoi(at.cut)
			}
			at = place{synced: true, value: at.value}
		case verbs[i] == implicit:
			at = place{synced: true, value: at.value}
		case verbs[i] == work && !at.inBegin:
			at.works++
		}
	}
}

// place is where in a session an event is.
type place struct {
	// synced says that the end of the transaction before was seen, inBegin that a BEGIN has followed it.
	synced, inBegin bool
	works           int // statements since
	cut             bool
	value           autocommit
}

// afterGap is the place behind missing statements. cut says that there were others before them.
func (p place) afterGap(forgets bool) place {
	next := place{cut: p.cut || p.synced && p.works > 0 && !p.inBegin, value: p.value}
	if forgets {
		next.value = unsaid
	}
	return next
}
