package loop

import "container/heap"

// timers are the back-offs under way: few in a healthy run, none as a rule.
type timers struct{ heap timerHeap }

type timer struct {
	at int64
	c  *connection
}

func (t *timers) add(at int64, c *connection) { heap.Push(&t.heap, timer{at, c}) }

func (t *timers) next() int64 {
	if len(t.heap) == 0 {
		return forever
	}
	return t.heap[0].at
}

func (t *timers) expire(now int64, do func(*connection)) {
	for len(t.heap) > 0 && t.heap[0].at <= now {
		do(heap.Pop(&t.heap).(timer).c)
	}
}

type timerHeap []timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
