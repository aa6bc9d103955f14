// Package chart draws the figures that need no script, as SVG.
package chart

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// canvas collects an SVG. Looks come from classes alone: the page's policy
// forbids inline styles. Every text passes through say, which escapes it.
type canvas struct {
	b             strings.Builder
	width, height float64
}

func newCanvas(width, height float64, class, title string) *canvas {
	c := &canvas{width: width, height: height}
	fmt.Fprintf(&c.b, `<svg class="%s" viewBox="0 0 %s %s" role="img" xmlns="http://www.w3.org/2000/svg"><title>%s</title>`,
		class, px(width), px(height), escape(title))
	return c
}

func (c *canvas) done() template.HTML { return template.HTML(c.b.String() + "</svg>") }

// px keeps a tenth of a unit: finer cannot be seen and makes files differ.
func px(v float64) string { return strconv.FormatFloat(language.Round(v, 1), 'f', -1, 64) }

func escape(s string) string { return template.HTMLEscapeString(safe.Name(s)) }

func (c *canvas) rect(x, y, w, h float64, class string) {
	fmt.Fprintf(&c.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, px(x), px(y), px(w), px(h))
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, px(x1), px(y1), px(x2), px(y2))
}

func (c *canvas) dot(x, y, r float64, class string) {
	fmt.Fprintf(&c.b, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, px(x), px(y), px(r))
}

func (c *canvas) path(d, class string) { fmt.Fprintf(&c.b, `<path class="%s" d="%s"/>`, class, d) }

// say writes text; anchor is start, middle or end.
func (c *canvas) say(x, y float64, anchor, class, text string) {
	fmt.Fprintf(&c.b, `<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, px(x), px(y), anchor, escape(text))
}
