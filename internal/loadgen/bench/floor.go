package main

// The floor cells: CPU time per statement of the engine and of the bare loop.

import (
	"context"
	"fmt"
	"os"
	"time"
)

// floorCounted is what is counted of a turn of these cells. One after the other in windows of seconds, the same bare
// loop needs 9 to 15 us for a point select: how many answers a loop finds at once, and how often a CPU is idle, differ
// from one moment of the server to the next. Turns meet the same moments.
const floorCounted = 500 * time.Millisecond

// floorCell compares the engine with the bare loop and with one that times its transactions, all pinned to one
// processor and the server to the other. Every pair has three fresh processes.
func (b *bench) floorCell(ctx context.Context, of cell) error {
	if err := b.server.pin(serverCPU); err != nil {
		return err
	}
	defer b.server.unpin()
	// Tables of their own: those that are off hold locks. Each has each in its turn, as no table is laid out like
	// another.
	schemas := [3]string{b.server.address.Schema, sysbenchSchema, timedSchema}
	var bare, timed []float64
	for i := range b.pairs {
		var clients []*client
		for k, kind := range [3]string{"tare", bareLoop, timedLoop} {
			c, err := b.ours(kind, load{kind: kind, workload: of.workload, threads: of.threads, cpu: clientCPU, schema: schemas[(i+k)%3]})
			if err != nil {
				return err
			}
			c.counted = floorCounted
			clients = append(clients, c)
		}
		if err := b.inTurns(ctx, of, clients); err != nil {
			return err
		}
		engine := clients[0].cpuPerStatement()
		bare, timed = append(bare, engine/clients[1].cpuPerStatement()), append(timed, engine/clients[2].cpuPerStatement())
		fmt.Fprintf(os.Stderr, "floor/%s pair %d: tare / bare loop %.3f, / timed loop %.3f", of, i+1, bare[i], timed[i])
		for _, c := range clients {
			n := float64(c.result.Statements)
			fmt.Fprintf(os.Stderr, "; %s %.2f us a statement, %.0f/s, %.2f waits, %.2f rests, %.2f receives and %.2f wake-ups for each, CPUs idle %.1f %%", c.name, c.cpuPerStatement()*1e6, c.rate(),
				float64(c.result.Calls.Waits)/n, float64(c.result.Calls.Rests)/n, float64(c.result.Calls.Receives)/n, float64(c.result.Calls.Sleeps)/n, c.idle())
		}
		fmt.Fprintln(os.Stderr)
	}
	b.out.Floor[of.String()], b.out.Timed[of.String()] = ratioOf(bare), ratioOf(timed)
	fmt.Fprintf(os.Stderr, "floor/%s: %s of the bare loop, %s of the timed one\n", of, b.out.Floor[of.String()], b.out.Timed[of.String()])
	return nil
}
