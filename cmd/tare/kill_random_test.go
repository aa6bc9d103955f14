package main

// Kills at random moments, of which `make crash` has 200.

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"
)

// killAtRandom kills runs at moments drawn from a seed, of the time that an undisturbed run
// takes here: in a part of it, on a busy machine no trial would be complete at any kill.
func (k *killable) killAtRandom(t *testing.T, dir, whole string, kills int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 1))
	for run, done := 0, 0; done < kills; run++ {
		out := filepath.Join(dir, fmt.Sprint("random-", run))
		for ; done < kills; done++ {
			after := time.Duration(rng.Float64() * float64(k.took))
			if !k.killAfter(t, after, k.args(out)...) {
				break // it was done before the kill
			}
			k.check(t, out, fmt.Sprint("random moment ", after), done)
		}
		k.finish(t, out, whole)
	}
	t.Logf("%d random kills", kills)
}

// killAfter starts tare and kills it. It returns false if tare had ended well by then.
func (k *killable) killAfter(t *testing.T, d time.Duration, args ...string) bool {
	t.Helper()
	var out bytes.Buffer
	cmd := k.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // what outlives tare holds the pipe
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(d, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if err != nil && !killed(err) {
		t.Fatalf("tare %v: %v\n%s", args, err, out.String())
	}
	return err != nil
}
