// Package stats implements statistics on samples, independent of arms and metrics.
//
// Its rules:
//
//   - The trial is the unit of analysis. Seconds inside a trial are correlated,
//     so nothing here turns seconds into degrees of freedom of a verdict; the
//     long-run variance ([EWC]) only describes a trial.
//   - Effects are differences of natural logarithms, paired within a round.
//     They are additive, symmetric under swapping the two sides, and need no
//     correction for ratios of means.
//   - An interval comes before a p-value, and an interval that the data cannot
//     support is refused (NaN, or a false "ok") rather than guessed.
//   - Whatever is random here takes a seed, and the same seed gives the same
//     answer again: a report can be recomputed from its record.
//
// Every method is tested twice: against reference values (SciPy, published
// tables), and by simulation against its own promise, where a method known to
// be broken has to fail the same test (TestC01 ... TestC16). Methods that only such a
// comparison needs are in the tests.
package stats
