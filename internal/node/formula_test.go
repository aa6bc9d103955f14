package node

import (
	"testing"
	"time"
)

// The table of weights in Kubernetes' and runc's own terms: a request, its
// shares, and the two formulas in use.
func TestSharesAndWeights(t *testing.T) {
	for _, c := range []struct {
		request                   CPU
		shares, linear, quadratic uint64
	}{
		{0, 2, 1, 1},
		{1, 2, 1, 1},
		{100, 102, 4, 17},
		{600, 614, 24, 67},
		{1000, 1024, 39, 100},
		{2000, 2048, 79, 174},
		{4000, 4096, 157, 303},
		{8000, 8192, 313, 532},
		{16000, 16384, 625, 942},
		{32000, 32768, 1250, 1681},
		{55500, 56832, 2168, 2678},
		{56000, 57344, 2188, 2698},
		{256000, 262144, 10000, 10000},
		{1000000, 262144, 10000, 10000},
		{MaxCPU, 262144, 10000, 10000},
	} {
		shares := Shares(c.request)
		if l, q := LinearWeight(shares), QuadraticWeight(shares); shares != c.shares || l != c.linear || q != c.quadratic {
			t.Errorf("%v: shares %d, weights %d and %d; want %d, %d and %d", c.request, shares, l, q, c.shares, c.linear, c.quadratic)
		}
	}
	for _, shares := range []uint64{0, 1, 262145, 1 << 40} {
		if l, q := LinearWeight(shares), QuadraticWeight(shares); l < 1 || l > 10000 || q < 1 || q > 10000 {
			t.Errorf("%d shares: weights %d and %d lie outside the kernel's 1 to 10000", shares, l, q)
		}
	}
}

func TestQuota(t *testing.T) {
	for _, c := range []struct {
		limit  CPU
		period time.Duration
		want   int64
	}{
		{0, DefaultPeriod, 0},
		{2000, DefaultPeriod, 200000},
		{200, DefaultPeriod, 20000},
		{55500, DefaultPeriod, 5550000},
		{1, DefaultPeriod, 1000},
		{500, 10 * time.Millisecond, 5000},
	} {
		if got := Quota(c.limit, c.period); got != c.want {
			t.Errorf("%v in %v: %d, want %d", c.limit, c.period, got, c.want)
		}
	}
}

func TestOOMScoreAdj(t *testing.T) {
	const gi = 1 << 30
	for _, c := range []struct {
		class    QoS
		request  Bytes
		capacity Bytes
		want     int
	}{
		{Guaranteed, 4 * gi, 8 * gi, -997},
		{BestEffort, 0, 8 * gi, 1000},
		{Burstable, 0, 8 * gi, 999},
		{Burstable, 1, 8 * gi, 999},
		{Burstable, 4 * gi, 8 * gi, 500},
		{Burstable, gi, 16 * gi, 938}, // 1000 - 62 (62.5 rounded down)
		{Burstable, 8 * gi, 8 * gi, 3},
		{Burstable, 7 << 60, 8 * gi, 3},
	} {
		if got := OOMScoreAdj(c.class, c.request, c.capacity); got != c.want {
			t.Errorf("%s requesting %v of %v: %d, want %d", c.class, c.request, c.capacity, got, c.want)
		}
	}
}

func TestClass(t *testing.T) {
	cpu, memory := Resources{CPU: 1000}, Resources{Memory: 1 << 30}
	both := Resources{CPU: 1000, Memory: 1 << 30}
	for _, c := range []struct {
		name string
		r    Requirements
		want QoS
	}{
		{"nothing", Requirements{}, BestEffort},
		{"limits only become requests", Requirements{Limit: both}, Guaranteed},
		{"requests equal limits", Requirements{Request: both, Limit: both}, Guaranteed},
		{"requests only", Requirements{Request: both}, Burstable},
		{"request below limit", Requirements{Request: Resources{CPU: 500, Memory: 1 << 30}, Limit: both}, Burstable},
		{"no cpu limit", Requirements{Request: both, Limit: memory}, Burstable},
		{"cpu limit only", Requirements{Limit: cpu}, Burstable},
	} {
		if got := Class(c.r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The first study asked for all 56 CPUs of a 56-CPU node, was refused because
// of a system pod's request, and ran with 55500m.
func TestLargestRequest(t *testing.T) {
	capacity := Resources{CPU: 56000, Memory: 256 << 30}
	allocatable := Allocatable(capacity, Resources{Memory: EvictionThreshold})
	largest := LargestRequest(allocatable, Resources{CPU: 250}, Resources{Memory: 1 << 30})
	want := Resources{CPU: 55750, Memory: 255<<30 - EvictionThreshold}
	if largest != want {
		t.Fatalf("largest request %v, want %v", largest, want)
	}
	if !(56000 > largest.CPU && 55500 <= largest.CPU) {
		t.Errorf("56 must be refused and 55500m must fit below %v", largest.CPU)
	}
	if got := LargestRequest(Resources{CPU: 1000}, Resources{CPU: 800}, Resources{CPU: 800}); got.CPU != 0 {
		t.Errorf("an overbooked node offers %v", got.CPU)
	}
}

func TestCapacity(t *testing.T) {
	got, err := Capacity()
	if err != nil {
		t.Fatal(err)
	}
	if got.CPU < 1000 || got.CPU%1000 != 0 || got.Memory < 1<<28 {
		t.Errorf("this machine cannot have %+v", got)
	}
}
