package language

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tarebench/tare/internal/compare"
)

// Reasons are sentences of reasons in English, as one text.
func Reasons(all []compare.Reason) string { return English().Reasons(all) }

// Reasons joins the sentences of reasons as clauses of one text.
func (l *Language) Reasons(all []compare.Reason) string {
	return l.List("clauses", l.each(all))
}

// Sentences are reasons that stand alone, as warnings do: each begins and ends as a
// sentence of the language does.
func (l *Language) Sentences(all []compare.Reason) []string {
	texts := l.each(all)
	for i, s := range texts {
		if !strings.HasPrefix(l.Say("reason."+all[i].Code), "{") { // a name keeps its letters
			texts[i] = Capital(s)
		}
		if !strings.HasSuffix(s, l.Say("end")) {
			texts[i] += l.Say("end")
		}
	}
	return texts
}

// each is a text for every reason.
func (l *Language) each(all []compare.Reason) []string {
	texts := make([]string, len(all))
	for i, r := range all {
		texts[i] = l.Reason(r)
	}
	return texts
}

// Reason is the sentence of a reason. A slot may say how its number is written:
// {x:.2f} with two decimals, {x:+.2f} with its sign, {n:round} counted in the plural form of
// the language, {p:list} and {p:and} with the parts joined so instead of as clauses.
func (l *Language) Reason(r compare.Reason) string {
	pattern := l.Say("reason." + r.Code)
	if pattern == "" {
		return r.Code // a result of a later version of tare
	}
	return strings.ToValidUTF8(l.replace(pattern, slot, func(s string) string {
		m := slot.FindStringSubmatch(s)
		return l.argument(r, m[1], m[2])
	}), "\uFFFD")
}

func (l *Language) argument(r compare.Reason, name, format string) string {
	if v, ok := r.Numbers[name]; ok {
		return l.written(v, format)
	}
	if names, ok := r.Names[name]; ok {
		if format == "value" && len(names) == 1 && names[0] == "" {
			return l.Say("cell.not-set")
		}
		if name == "time" && len(names) == 1 {
			return l.asDuration(names[0])
		}
		return l.List("list", names)
	}
	if format == "" {
		format = "clauses"
	}
	if len(r.Parts[name]) == 0 {
		return ""
	}
	return l.List(format, l.each(r.Parts[name]))
}

// written is a number of a reason.
func (l *Language) written(v float64, format string) string {
	if verb, ok := strings.CutSuffix(strings.TrimPrefix(format, "+"), "f"); ok && strings.HasPrefix(verb, ".") {
		if digits, err := strconv.Atoi(verb[1:]); err == nil {
			if format[0] == '+' {
				return Signed(v, digits)
			}
			return Decimal(v, digits)
		}
	}
	if format != "" {
		return l.Count(int(v), format)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return Grouped(int64(v))
	}
	return fmt.Sprintf("%g", v)
}

// Capital is a text with its first letter in upper case.
func Capital(s string) string {
	if s == "" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}
