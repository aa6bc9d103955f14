package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/loadgen/loop"
)

// calibrateVerb measures what the load engine itself costs and can do
// on this machine, without a database.
func calibrateVerb(t *terminal) *cobra.Command {
	var format string
	var length time.Duration
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure the load generator's overhead on this machine",
		Long: "Measure the built-in load generator without a database: cost and resolution of the clock, latency over TCP\n" +
			"loopback, and the highest rate of one event loop. Compare them with the figures of a run.",
		Example: "  tare calibrate\n  tare calibrate --time 10s -o json",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := measureOverhead(c.Context(), length)
			if err != nil {
				return err
			}
			if format == "json" {
				return json.NewEncoder(t.out).Encode(s)
			}
			fmt.Fprintf(t.out, "clock       %.0f ns per reading, resolution %.0f ns; operations start within %.1f us of their due time (99th percentile)\n",
				s.ClockCostNS, s.ClockStepNS, s.LatenessP99)
			fmt.Fprintf(t.out, "round trip  %.1f us at the median for a point select's bytes over TCP loopback, %.1f us 99th percentile\n",
				s.RoundTripP50, s.RoundTripP99)
			fmt.Fprintf(t.out, "ceiling     %.0f operations/s for one loop on a dedicated CPU, %.2f us of CPU each, 64 connections\n",
				s.CeilingPerSecond, s.CPUPerOperation)
			return nil
		},
	}
	formatFlag(c, &format, "text", "json")
	spanFlag(c.Flags(), &length, "time", 2*time.Second, "how long to measure, each time")
	return c
}

// overhead is what the load engine costs; times are in microseconds unless they say otherwise.
type overhead struct {
	ClockCostNS      float64 `json:"clock_cost_ns"`
	ClockStepNS      float64 `json:"clock_step_ns"`
	LatenessP99      float64 `json:"lateness_p99_us"`
	RoundTripP50     float64 `json:"round_trip_p50_us"`
	RoundTripP99     float64 `json:"round_trip_p99_us"`
	CeilingPerSecond float64 `json:"ceiling_per_s"`
	CPUPerOperation  float64 `json:"cpu_per_operation_us"`
}

func measureOverhead(ctx context.Context, length time.Duration) (*overhead, error) {
	clock := loop.MeasureClock()
	one, err := loop.MeasureCeiling(ctx, 1, length)
	if err != nil {
		return nil, err
	}
	many, err := loop.MeasureCeiling(ctx, 64, length)
	if err != nil {
		return nil, err
	}
	micros := func(ns int64) float64 { return float64(ns) / 1000 }
	return &overhead{
		ClockCostNS: float64(clock.Cost), ClockStepNS: float64(clock.Step), LatenessP99: micros(clock.Lateness.Percentile(99)),
		RoundTripP50: micros(one.RoundTrip.Percentile(50)), RoundTripP99: micros(one.RoundTrip.Percentile(99)),
		CeilingPerSecond: many.PerSecond, CPUPerOperation: float64(many.CPU) / 1000,
	}, nil
}
