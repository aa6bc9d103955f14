package inpod

// `digest`: a program that was streamed into a pod proves that it is whole.

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// Digest prints the SHA-256 of this program, which is read as the kernel runs it: the image
// of the pod may have no tool for that.
func Digest() *cobra.Command {
	return &cobra.Command{
		Use: "digest", Short: "Print the SHA-256 of this program", Hidden: true,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := os.Open("/proc/self/exe")
			if err != nil {
				return fmt.Errorf("read this program: %w", err)
			}
			defer f.Close()
			sum := sha256.New()
			if _, err := io.Copy(sum, f); err != nil {
				return fmt.Errorf("read this program: %w", err)
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%x\n", sum.Sum(nil))
			return err
		},
	}
}
