package runner

// What happens to a database while it is loaded, and what a ledger says of its servers afterwards.

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// disturb has the arm's events happen from the beginning of the measured window on. stop ends
// those that last, and returns when all have ended.
func (t *trial) disturb(ctx context.Context) (stop func() error) {
	run := t.server.Capabilities().Disturb
	if run == nil {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	t.windowAt = make(chan time.Time, 1)
	failed, done := make(chan error, 1), make(chan error, 1)
	note := func(name, detail string) {
		err := t.write(record.Line{Event: &record.Event{At: time.Since(t.started), Name: name, Detail: detail}})
		if err != nil {
			select {
			case failed <- err:
			default: // the first says enough
			}
		}
	}
	go func() { done <- run(ctx, t.windowAt, note) }()
	return func() error {
		cancel()
		err := <-done
		select {
		case broken := <-failed:
			return broken
		default:
		}
		return err
	}
}

// began says when the measured window begins of a load that begins now.
func (t *trial) began(load time.Time) {
	if t.windowAt == nil {
		return
	}
	select {
	case t.windowAt <- load.Add(t.Experiment.Protocol.Warmup.Std()):
	default: // a second load of the trial
	}
}

// caughtUpWithin bounds the wait for members that have to apply what the primary has.
const caughtUpWithin = 2 * time.Minute

// checkLedger compares every server with what was acknowledged. What was lost is a result of
// the arm.
func (t *trial) checkLedger(ctx context.Context) (record.Outcome, string, error) {
	if err := t.phase("check the ledger"); err != nil {
		return "", "", err
	}
	members := target.MemberOf(t.server)
	if after := t.server.Capabilities().Members; after != nil {
		var err error
		if members, err = after(ctx, caughtUpWithin); err != nil {
			return "", "", record.CheckTheLedger.Wrap(err)
		}
	}
	facts := []record.Fact{{Key: keys.LedgerAcknowledged, Value: strconv.FormatInt(t.ledger.Acknowledged(), 10), Source: "engine"}}
	for _, m := range members {
		fault.At("trial: before the ledger of a member")
		facts = append(facts, t.memberLedger(ctx, m)...)
	}
	return record.Measured, "", t.keep(facts, "end")
}

// memberLedger is what one server has of the ledger.
func (t *trial) memberLedger(ctx context.Context, m target.Member) []record.Fact {
	prefix := fmt.Sprintf(keys.LedgerMemberPrefix+"%d.", m.Number)
	const source = "ledger_entry, ledger_account"
	if m.Left != "" {
		return []record.Fact{{Key: prefix + "result", Source: source, Unknown: m.Left}}
	}
	m.Address.Schema = t.schemaOf(m.Address)
	v, err := loadgen.CheckLedger(ctx, m.Address, t.ledger)
	if err != nil {
		return []record.Fact{{Key: prefix + "result", Source: source, Unknown: err.Error()}}
	}
	result := "whole"
	if !v.Whole() {
		result = "not whole"
	}
	facts := []record.Fact{{Key: prefix + "result", Value: result, Source: source}}
	for _, n := range []struct {
		key   string
		value int64
	}{{"lost", v.Lost}, {"doubled", v.Doubled}, {"never_sent", v.Unknown}, {"unanswered", v.Unanswered}} {
		facts = append(facts, record.Fact{Key: prefix + n.key, Value: strconv.FormatInt(n.value, 10), Source: source})
	}
	if v.Balances != "" {
		facts = append(facts, record.Fact{Key: prefix + "balances", Value: v.Balances, Source: source})
	}
	if len(v.Examples) > 0 {
		facts = append(facts, record.Fact{Key: prefix + "examples", Value: strings.Join(v.Examples, record.BetweenEntries), Source: source})
	}
	return facts
}
