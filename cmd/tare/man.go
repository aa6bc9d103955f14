package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manVerb writes the manual pages, from the same texts as help; for packages.
func manVerb(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write manual pages into a directory",
		Example: "  tare man man/man1",
		Hidden:  true,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			if err := os.MkdirAll(a[0], 0o755); err != nil {
				return usage{fmt.Errorf("write manual: %w", err)}
			}
			root := c.Root()
			root.DisableAutoGenTag = true // has the day of the build; SOURCE_DATE_EPOCH sets the page's own
			err := doc.GenManTreeFromOpts(root, doc.GenManTreeOptions{
				Path: a[0], CommandSeparator: "-",
				Header: &doc.GenManHeader{Section: "1", Source: "tare " + versionString(), Manual: "tare"},
			})
			if err != nil {
				return fmt.Errorf("write manual: %w", err)
			}
			return nil
		},
	}
}
