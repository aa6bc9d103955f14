package report

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// place is a place where a transaction spends time, in this language; a statement keeps
// its own name.
func (l *Language) place(name string) string {
	if key, ok := places()[name]; ok {
		return l.say(key)
	}
	return name
}

// places are the keys of the names that compare and the load engine give to parts of a
// transaction's time.
func places() map[string]string {
	return map[string]string{
		compare.SpentWhole: "budget.whole", compare.SpentCPU: "spent.cpu", compare.SpentThrottled: "spent.throttled",
		compare.SpentWaiting: "spent.waiting", compare.SpentLock: "spent.lock", compare.SpentRead: "spent.read",
		compare.SpentLog: "spent.log", compare.SpentRest: "spent.rest", compare.SpentNetwork: "spent.network",
		compare.SpentRestNetwork: "spent.rest-network",
		record.SpentClient:       "spent.client", record.SpentQueued: "spent.queued", record.SpentLate: "spent.late", record.SpentFailed: "spent.failed",
	}
}
