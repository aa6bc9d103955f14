package diagnose

// This file is what findings say. A phrase is English with its arguments; the English
// is its key in the tables of every other language (evidence). A phrase whose
// English changes has no translation any more, which TestEveryPhraseIsTranslated finds:
// no table can fall behind. Codes for 120 phrases were rejected: a rule would no longer
// show what it says.

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/tarebench/tare/internal/manifest"
)

// Phrase is a part of what a finding says. It has English with Arguments, or a Value.
type Phrase struct {
	// English has a verb of package fmt in the place of each argument.
	English   string   `json:"english,omitempty"`
	Arguments []Phrase `json:"arguments,omitempty"`
	// Value is a number or a name, which is the same in every language.
	Value string `json:"value,omitempty"`
	// Statement says that what English calls a transaction is a statement: of a server that does not time transactions.
	Statement bool `json:"statement,omitempty"`
}

// ofStatement is the phrase about statements.
func (p Phrase) ofStatement() Phrase {
	p.Statement = true
	p.Arguments = slices.Clone(p.Arguments)
	for i, a := range p.Arguments {
		p.Arguments[i] = a.ofStatement()
	}
	return p
}

// inUnit is a text without its arguments, in the unit of the phrase.
func (p Phrase) inUnit(text string) string {
	if !p.Statement {
		return text
	}
	return strings.NewReplacer("transaction", "statement", "每个事务", "每条语句", "事务", "语句").Replace(text)
}

// verb is a place for an argument, or a percent sign.
var verb = regexp.MustCompile(`%[+#0-9.]*[a-z%]`)

// term is a phrase without arguments.
func term(english string) Phrase { return Phrase{English: english} }

// verbatim is the same in every language.
func verbatim(text string) Phrase { return Phrase{Value: text} }

// empty says nothing.
func (p Phrase) empty() bool { return p.English == "" && p.Value == "" }

// ofText is what package manifest says of files.
func ofText(t manifest.Text) Phrase {
	p := Phrase{English: t.Format}
	for _, a := range t.Arguments {
		p.Arguments = append(p.Arguments, origin(a))
	}
	return p
}

// origin is where an option is from: a file, an object, or what has no name.
func origin(from string) Phrase {
	if slices.Contains(manifest.Origins(), from) {
		return term(from)
	}
	return verbatim(from)
}

// phrase keeps the arguments as they are written in every language.
func phrase(format string, args ...any) Phrase {
	p := Phrase{English: format}
	for _, v := range verb.FindAllString(format, -1) {
		if v == "%%" || len(args) == 0 {
			continue
		}
		p.Arguments = append(p.Arguments, argument(v, args[0]))
		args = args[1:]
	}
	return p
}

func argument(verb string, arg any) Phrase {
	if p, ok := arg.(Phrase); ok {
		return p
	}
	return Phrase{Value: fmt.Sprintf(verb, arg)}
}

// String is the phrase in English.
func (p Phrase) String() string { return p.In("en") }

// In is the phrase in a language; English where there is none in it.
func (p Phrase) In(language string) string {
	if p.English == "" {
		return p.Value
	}
	args := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		args[i] = a.In(language)
	}
	if text, ok := phrasesIn(language)[p.English]; ok {
		return slot.ReplaceAllStringFunc(p.inUnit(text), func(s string) string {
			n, err := strconv.Atoi(strings.Trim(s, "{}"))
			return at(args, n-1, err)
		})
	}
	next := -1
	return verb.ReplaceAllStringFunc(p.inUnit(p.English), func(v string) string {
		if v == "%%" {
			return "%"
		}
		next++
		return at(args, next, nil)
	})
}

// slot is the place of an argument in a translation: {1} is the first.
var slot = regexp.MustCompile(`\{[0-9]+\}`)

// at is an argument; a result that somebody else wrote may lack it.
func at(args []string, i int, err error) string {
	if err != nil || i < 0 || i >= len(args) {
		return "?"
	}
	return args[i]
}

// Say is phrases as one text in a language.
func Say(all []Phrase, language string) string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.In(language))
	}
	return b.String()
}

//go:embed evidence/*.yaml
var evidence embed.FS

// phrasesIn is the table of a language by the English; nil for English. A broken table
// leaves English, and TestEveryPhraseIsTranslated fails.
func phrasesIn(language string) map[string]string {
	if language != "zh" {
		return nil
	}
	return chinesePhrases()
}

var chinesePhrases = sync.OnceValue(func() map[string]string {
	all, err := readPhrases()
	if err != nil {
		return nil
	}
	return all
})

// readPhrases reads what is said of runs, and what is said of files.
func readPhrases() (map[string]string, error) {
	all := map[string]string{}
	for _, name := range []string{"evidence/zh.yaml", "evidence/zh_files.yaml"} {
		data, err := evidence.ReadFile(name)
		var some map[string]string
		if err == nil {
			err = yaml.UnmarshalWithOptions(data, &some, yaml.Strict())
		}
		if err != nil {
			return nil, fmt.Errorf("read phrases: %w", err)
		}
		maps.Copy(all, some)
	}
	return all, nil
}
