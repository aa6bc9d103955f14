// Numbers of the document as the formats want them: absent when unknown, and as
// costs, positive = worse.

package export

import "github.com/tarebench/tare/internal/report"

func known(n report.Number) *float64 { return scaled(n, 1) }

// turned is a change as a cost.
func turned(n report.Number) *float64 { return scaled(n, -1) }

func scaled(n report.Number, by float64) *float64 {
	if !n.Known() {
		return nil
	}
	v := float64(n) * by
	if v == 0 {
		v = 0 // no negative zero
	}
	return &v
}

// bounds is an interval of a change as one of a cost, the lower bound first.
func bounds(i *[2]report.Number) (lo, hi *float64) {
	if i == nil {
		return nil, nil
	}
	return turned(i[1]), turned(i[0])
}
