package container

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/node"
)

func ptr[T any](v T) *T { return &v }

// Each value is switched without the others, whatever the pod is.
func TestEnforced(t *testing.T) {
	const gi = 1 << 30
	guaranteed := Settings{QoS: node.Guaranteed, CPU: 4000, Memory: 4 * gi}
	with := func(change func(*Settings)) Settings {
		s := guaranteed
		change(&s)
		return s
	}
	for _, c := range []struct {
		name string
		s    Settings
		want node.Enforced
	}{
		{"as a kubelet", guaranteed, node.Enforced{}},
		{"as a kubelet, said", with(func(s *Settings) {
			s.Weight, s.Quota.On, s.MemoryLimit.On = ptr(true), true, true
		}), node.Enforced{}},
		{"no weight", with(func(s *Settings) { s.Weight = ptr(false) }), node.Enforced{Unweighted: true}},
		{"no quota", with(func(s *Settings) { s.Quota.Off = true }), node.Enforced{Quota: ptr(node.CPU(0))}},
		{"another quota", with(func(s *Settings) { s.Quota = Override[node.CPU]{On: true, Amount: 500} }), node.Enforced{Quota: ptr(node.CPU(500))}},
		{"quota alone", Settings{Quota: Override[node.CPU]{On: true, Amount: node.MaxCPU}}, node.Enforced{Quota: ptr(node.CPU(55750))}},
		{"no memory limit", with(func(s *Settings) { s.MemoryLimit.Off = true }), node.Enforced{Memory: ptr(node.Bytes(0))}},
		{"memory limit alone", Settings{MemoryLimit: Override[node.Bytes]{On: true, Amount: gi}}, node.Enforced{Memory: ptr(node.Bytes(gi))}},
		{"exclusive, as the static policy of today", with(func(s *Settings) { s.Exclusive.On = true }),
			node.Enforced{Quota: ptr(node.CPU(0)), CPUs: node.CPUSet{1, 2, 3, 4}}},
		{"exclusive, as before Kubernetes 1.33", with(func(s *Settings) { s.Exclusive.On, s.Quota.On = true, true }),
			node.Enforced{CPUs: node.CPUSet{1, 2, 3, 4}}},
		{"exclusive alone", Settings{Exclusive: Override[node.CPU]{On: true, Amount: 2000}, ReservedCPUs: node.CPUSet{1}},
			node.Enforced{CPUs: node.CPUSet{0, 2}}},
		{"exclusive beside a quota", with(func(s *Settings) { s.Exclusive = Override[node.CPU]{On: true, Amount: 1000} }),
			node.Enforced{CPUs: node.CPUSet{1}}},
	} {
		if d := cmp.Diff(c.want, c.s.enforced(study())); d != "" {
			t.Errorf("%s (-want +got): %s", c.name, d)
		}
		if errs := append(c.s.check(study()), c.s.contradictions()); errors.Join(errs...) != nil {
			t.Errorf("%s: %v", c.name, errs)
		}
	}
}

// A part of a CPU, more CPUs than there are, and values without a limit to follow
// from are told with the fix.
func TestEnforcedMistakes(t *testing.T) {
	on, gi := Override[node.CPU]{On: true}, node.Bytes(1<<30)
	of := func(n node.CPU) Override[node.CPU] { return Override[node.CPU]{On: true, Amount: n} }
	for _, c := range []struct {
		s    Settings
		want string
	}{
		{Settings{Exclusive: of(1500)}, "exclusive: 1500m is not a whole number: the static CPU manager assigns only whole CPUs; write exclusive: 1 or exclusive: 2"},
		{Settings{Exclusive: of(500)}, "write exclusive: 1"},
		{Settings{QoS: node.Guaranteed, CPU: 55500, Memory: gi, Exclusive: on}, "cpu: 55500m is not a whole number, so the static CPU manager assigns no exclusive CPUs to the pod; write cpu: 55 or cpu: 56"},
		{Settings{Exclusive: of(56000)}, "exclusive: 56 requested, 55 can be exclusive: 56 minus 1 reserved for the system (CPU 0); write exclusive: 55"},
		{Settings{Exclusive: of(53000), ReservedCPUs: node.CPUSet{0, 1, 2, 3}}, "write exclusive: 52"},
		{Settings{QoS: node.Burstable, CPURequest: 1000, Exclusive: on}, "exclusive: the static CPU manager assigns exclusive CPUs only to Guaranteed pods; write qos: Guaranteed, or a number, exclusive: 1"},
		{Settings{Exclusive: of(1000), ReservedCPUs: node.CPUSet{0, 56, 57}}, "reservedCPUs: this machine has no CPU 56-57; its CPUs are 0-55"},
		{Settings{Quota: on}, "quota: quota: true requires a CPU limit; write an amount, quota: 500m, or a limit, cpu: 500m"},
		{Settings{Quota: of(57000)}, "quota: 57 is above this machine's 56 and would never be reached; write at most quota: 56"},
		{Settings{QuotaPeriod: 1e7}, "quotaPeriod: a period requires a quota"},
		{Settings{MemoryLimit: Override[node.Bytes]{On: true}}, "memoryLimit: the pod has no memory limit; write an amount"},
		{Settings{MemoryLimit: Override[node.Bytes]{On: true, Amount: 300 * gi}}, "memoryLimit: 300Gi is above this machine's 256Gi"},
	} {
		err := errors.Join(append(c.s.check(study()), c.s.contradictions())...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v\nwant: %s", c.s, err, c.want)
		}
	}
	one := machine{capacity: node.Resources{CPU: 1000, Memory: gi}, topology: cpus(1)}
	for _, exclusive := range []Override[node.CPU]{of(1000), of(node.MaxCPU), on} {
		for _, reserved := range []node.CPUSet{nil, {0}} {
			err := errors.Join(Settings{Exclusive: exclusive, ReservedCPUs: reserved}.checkEnforced(one)...)
			if err == nil || !strings.Contains(err.Error(), "no CPU can be exclusive: the static CPU manager reserves CPU 0 for the system, and this machine has CPU 0") {
				t.Errorf("exclusive: %+v on a machine of one CPU, reserved %v: %v", exclusive, reserved, err)
			}
		}
	}
	if err := errors.Join(Settings{ReservedCPUs: node.CPUSet{0}}.checkEnforced(one)...); err != nil {
		t.Errorf("no exclusive CPUs, and none that could be: %v", err)
	}
}

// What the system keeps is taken out of what pods can request: 56 of 56 CPUs do
// not fit, and max is the most that can be exclusive.
func TestExclusiveMax(t *testing.T) {
	made := func(s Settings) *Container {
		t.Helper()
		c, err := New(func(into any) error { *into.(*Settings) = s; return nil },
			Env{Capacity: study().capacity, Topology: study().topology})
		if err != nil {
			t.Fatal(err)
		}
		return c.(*Container)
	}
	const gi = 1 << 30
	s := Settings{QoS: node.Guaranteed, CPU: 56000, Memory: gi, Exclusive: Override[node.CPU]{On: true}, Neighbour: &node.Neighbour{CPU: 1000, Request: 250}}
	c := made(s)
	err := errors.Join(c.settings.check(c.machine)...)
	if want := "cpu: 56 requested, 54 can be allocated: 56000m minus 1000m reserved for the system minus 250m requested by other pods; write cpu: 54 or cpu: max"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwant: %s", err, want)
	}
	s.CPU = node.MaxCPU
	if c = made(s); c.CPULimit() != 54000 {
		t.Errorf("max is %v, want 54", c.CPULimit())
	}
	s.Exclusive.Off, s.Exclusive.On, s.CPU = true, false, 0
	if c = made(s); c.CPULimit() != 55750 {
		t.Errorf("max without exclusive CPUs is %v, want 55750m", c.CPULimit())
	}
}

// FuzzOverride: whatever is written is read or refused, never both on and off.
func FuzzOverride(f *testing.F) {
	for _, s := range []string{"true", "false", "none", "500m", "max", "0", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var o Override[node.CPU]
		if err := o.UnmarshalText([]byte(text)); err == nil && (o.On == o.Off || o.Off && o.Amount != 0) {
			t.Errorf("%q: %+v", text, o)
		}
	})
}
