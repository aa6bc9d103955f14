package loop

// timers are the waits of connections under way: back-offs, few in a healthy run, and the
// think times of a workload file. container/heap would allocate for each.
type timers struct {
	heap   []timer
	serial int64 // of the timer added last
}

type timer struct {
	at     int64
	serial int64
	c      *connection
}

// add wakes a connection at a time. What it waited for before is forgotten.
func (t *timers) add(at int64, c *connection) {
	t.serial++
	c.timer = t.serial
	h := append(t.heap, timer{at, t.serial, c})
	for i := len(h) - 1; i > 0 && h[i].at < h[(i-1)/2].at; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	t.heap = h
}

func (t *timers) next() int64 {
	if len(t.heap) == 0 {
		return forever
	}
	return t.heap[0].at
}

// expire takes the timers whose time has come, and does what is to be done for those whose
// connection still waits for them.
func (t *timers) expire(now int64, do func(*connection)) {
	for len(t.heap) > 0 && t.heap[0].at <= now {
		first := t.heap[0]
		t.removeFirst()
		if first.c.timer == first.serial {
			first.c.timer = 0
			do(first.c)
		}
	}
}

func (t *timers) removeFirst() {
	last := len(t.heap) - 1
	t.heap[0], t.heap[last] = t.heap[last], timer{}
	h := t.heap[:last]
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(h) && h[child].at < h[least].at {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	t.heap = h
}
