package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/runner"
)

// TestCheckRefusesEmptyDump: a dump that makes no table is found before anything is started.
func TestCheckRefusesEmptyDump(t *testing.T) {
	dir := t.TempDir()
	dump := filepath.Join(dir, "sbtest.sql")
	for text, want := range map[string]string{"": "data.from: the dump " + dump + " is empty (0 bytes)", "-- MySQL dump 10.13\n": "data.from: the dump " + dump + " makes no table"} {
		if code, said := checkDump(t, dir, text); code != exitInvalid || !strings.Contains(said, want) || strings.Contains(said, "ready to run") {
			t.Errorf("exit code %d, want %q in\n%s", code, want, said)
		}
	}
}

// TestCheckReadsHeadOfDump: a dump that the server would refuse in the middle is refused before anything is started, with
// what to do; of one from another product check says so.
func TestCheckReadsHeadOfDump(t *testing.T) {
	dir := t.TempDir()
	const ofMariaDB = "-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)\n-- Server version\t11.8.9-MariaDB-4\n"
	for text, want := range map[string]struct {
		code int
		says string
	}{
		ofMariaDB + "CREATE TABLE `sbtest1` (\n  `id` int\n) COLLATE=utf8mb4_uca1400_ai_ci;\n": {exitInvalid, "refuses the dump " + filepath.Join(dir, "sbtest.sql") + ": a table has the collation utf8mb4_uca1400_ai_ci"},
		ofMariaDB + "CREATE TABLE `sbtest1` (\n  `id` int\n);\n":                               {0, "attention: the dump is from MariaDB 11.8.9, and the server is MySQL "},
	} {
		code, said := checkDump(t, dir, text)
		if code != want.code || !strings.Contains(said, want.says) {
			t.Errorf("exit code %d, want %d and %q in\n%s", code, want.code, want.says, said)
		}
	}
}

// checkDump is tare check of an experiment that restores a dump with this text.
func checkDump(t *testing.T, dir, text string) (code int, said string) {
	t.Helper()
	dump, spec := filepath.Join(dir, "sbtest.sql"), filepath.Join(dir, "x.yaml")
	for path, content := range map[string]string{dump: text, spec: fmt.Sprintf("apiVersion: tarebench.io/v1alpha1\nkind: Experiment\nmetadata: {name: empty}\ndatabase: {rootfs: %s}\n"+
		"load: {workload: oltp_read_only, threads: 1}\ndata: {from: {dump: %s}, tables: 1, rows: 10}\nbaseline: a\narms: {a: {target: process}, b: {target: process}}\n", testRootfs(t), dump)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, conversation bytes.Buffer
	code = run([]string{"check", spec}, &terminal{in: os.Stdin, out: &out, err: &conversation, stateDir: dir})
	return code, out.String() + conversation.String()
}

// TestStoppedByData: a run that the data have stopped is not to be resumed, because the same data stop it again.
func TestStoppedByData(t *testing.T) {
	for _, c := range []struct {
		err     error
		resumes bool
	}{
		{fmt.Errorf("prepare: %w", runner.DataError{Err: errors.New("the dump makes no table in schema shop")}), false},
		{errors.New("no space left on device"), true},
	} {
		var h hinted
		err := stopped(t.Context(), t.TempDir(), c.err)
		if !errors.As(err, &h) || strings.Contains(h.hint, "--resume") != c.resumes || !errors.Is(err, c.err) {
			t.Errorf("%v: %+v", c.err, h)
		}
	}
}
