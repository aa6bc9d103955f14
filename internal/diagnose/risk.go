package diagnose

// This file is which rules are about the risk of lost data, of a stop, or of a start that fails. Such a finding says nothing
// about why a server that runs is slow.

import "slices"

// IsRisk says whether what a rule finds costs data or availability, and no speed.
func IsRisk(rule string) bool { return slices.Contains(risks(), rule) }

func risks() []string {
	return []string{
		"K-ALC-04", "K-CFG-01", "K-CFG-02", "K-MEM-01", "K-MEM-07",
		"K-OPS-01", "K-OPS-03", "K-OPS-04", "K-OPS-05", "K-OPS-06", "K-OPS-07", "K-OPS-08", "K-OPS-09",
		"K-QOS-09", "K-STO-03", "K-STO-09", "K-STO-11",
		"M-BP-02", "M-DUR-02", "M-DUR-03", "M-DUR-04", "M-GAL-03", "M-LOG-02", "M-OPT-02", "M-VER-01", "M-VER-02",
		"O-GEN-01",
	}
}
