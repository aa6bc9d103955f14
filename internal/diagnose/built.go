package diagnose

// This file gives findings of what was built of a Kustomization a place that exists: the Kustomization. The line of the
// built output is said in words.

import (
	"path"

	"github.com/tarebench/tare/internal/manifest"
)

// inSource is the result with the places of built text replaced.
func (r Result) inSource(sets ...*manifest.Set) Result {
	built := map[string]bool{}
	for _, s := range sets {
		if s == nil {
			continue
		}
		for _, f := range s.Files {
			built[f.Name] = built[f.Name] || f.Built
		}
	}
	place := func(at manifest.Spot) manifest.Spot {
		if !built[at.File] {
			return at
		}
		return manifest.Spot{File: at.File, Line: 1, Column: 1}
	}
	for i, f := range r.Findings {
		if f.Found() && built[f.Where.File] {
			f = f.and(" (line %d of the output of `kubectl kustomize %s`)", f.Where.Line, path.Dir(f.Where.File))
			if f.NotMade.String() != "" {
				f.NotMade = ofText(manifest.BuiltText())
			}
		}
		f.Where = place(f.Where)
		r.Findings[i] = f
	}
	for i := range r.Databases {
		r.Databases[i].Where = place(r.Databases[i].Where)
	}
	for i := range r.Unread {
		r.Unread[i].Where = place(r.Unread[i].Where)
	}
	return r
}
