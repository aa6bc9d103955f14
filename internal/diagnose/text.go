package diagnose

// This file gives a rule's texts by language. English is in the rule itself; every
// other language is a table in a folder of its own, which names the English that it
// translates by a hash.

import (
	"embed"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"
)

// Wording is what a rule says in one language.
type Wording struct {
	Title  string `yaml:"title"`
	What   string `yaml:"what"` // what happens: the mechanism
	Impact string `yaml:"impact"`
	Fix    string `yaml:"fix"`
}

// Languages are those that rules have texts in, by their tags (BCP 47).
func Languages() []string { return []string{"en", "zh"} }

// In is the rule's text in a language; English where there is none in it.
func (r Rule) In(language string) Wording {
	if language == "zh" {
		if t, ok := chinese()[r.ID]; ok {
			return t.Wording
		}
	}
	return r.english()
}

func (r Rule) english() Wording { return Wording{r.Title, r.What, r.Impact, r.Fix} }

// translated is a text with the hash of the English that it was translated from.
type translated struct {
	Wording `yaml:",inline"`
	English string `yaml:"english"`
}

//go:embed zh/*.yaml
var zh embed.FS

// chinese are the Chinese texts by the rules' IDs. A broken table leaves English;
// TestEveryRuleIsTranslated fails then.
var chinese = sync.OnceValue(func() map[string]translated {
	all, err := readTexts(zh, "zh")
	if err != nil {
		return nil
	}
	return all
})

func readTexts(files embed.FS, dir string) (map[string]translated, error) {
	all := map[string]translated{}
	entries, err := files.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read texts: %w", err)
	}
	for _, e := range entries {
		data, err := files.ReadFile(dir + "/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read texts: %w", err)
		}
		var some map[string]translated
		if err := yaml.UnmarshalWithOptions(data, &some, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("read texts of %s/%s: %w", dir, e.Name(), err)
		}
		for id, t := range some {
			if _, twice := all[id]; twice {
				return nil, fmt.Errorf("read texts of %s/%s: %s is there twice", dir, e.Name(), id)
			}
			all[id] = t
		}
	}
	return all, nil
}
