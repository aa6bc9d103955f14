//go:build race

package stats

// raceEnabled cuts simulations short: the race detector makes them ten times
// slower and has nothing to find in arithmetic.
const raceEnabled = true
