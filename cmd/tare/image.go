package main

// `tare image`: the container image that load pods, neighbours, probe pods and runs
// inside a cluster need.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/export"
	"github.com/tarebench/tare/internal/image"
)

func imageVerb(t *terminal) *cobra.Command {
	var out, push string
	var binaries map[string]string
	c := &cobra.Command{
		Use:   "image --out FILE | image --push REFERENCE",
		Short: "Build tare's container image, as an OCI archive or into a registry",
		Long: "Build the container image that pods of an experiment run (clientImage of target kubernetes: clients,\n" +
			"client, neighbour, probeNamespace) and that `tare run --in-cluster` runs. Docker is not needed.\n\n" +
			"The image contains this program; --binary adds or replaces the program of an architecture. The same\n" +
			"programs give the same image; SOURCE_DATE_EPOCH sets its time.\n\n" +
			"--out writes an OCI archive, which podman load, skopeo, ctr images import and kind load image-archive\n" +
			"read. --push pushes to a registry with the credentials of docker login or podman login.",
		Example: "  tare image --out tare-image.tar\n  tare image --push registry.example.com/tare:1.2.3\n" +
			"  tare image --binary amd64=tare-amd64 --binary arm64=tare-arm64 --out tare-image.tar",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if (out == "") == (push == "") {
				return usage{errors.New("image: use either --out FILE or --push REFERENCE")}
			}
			s, err := imageSpec(binaries)
			if err != nil {
				return err
			}
			index, err := s.Index()
			if err != nil {
				return usage{err}
			}
			if push != "" {
				digest, err := image.Push(c.Context(), push, index)
				if err != nil {
					return err
				}
				fmt.Fprintln(t.out, digest)
				return nil
			}
			reference := "localhost/tare:" + strings.ReplaceAll(s.Version, "+", "-")
			if err := export.File(out, func(w io.Writer) error { return image.WriteArchive(w, index, reference) }); err != nil {
				return err
			}
			fmt.Fprintf(t.err, "%s: %s\n", out, reference)
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "OCI archive to write")
	c.Flags().StringVar(&push, "push", "", "image reference to push to")
	c.Flags().StringToStringVar(&binaries, "binary", nil, "program for an architecture, as ARCH=FILE (default this program)")
	return c
}

// imageSpec is the image of these programs, or of this one.
func imageSpec(binaries map[string]string) (image.Spec, error) {
	s := image.Spec{Version: versionString(), Binaries: binaries}
	if len(binaries) == 0 {
		self, err := os.Executable()
		if err != nil {
			return s, fmt.Errorf("find this program: %w", err)
		}
		s.Binaries = map[string]string{runtime.GOARCH: self}
	}
	// https://reproducible-builds.org/specs/source-date-epoch/
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		n, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return s, usage{fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)}
		}
		s.Created = time.Unix(n, 0)
	}
	return s, nil
}
