package container

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	specs "github.com/opencontainers/runtime-spec/specs-go"
)

func TestCapabilities(t *testing.T) {
	for text, want := range map[string][]string{
		"default": defaultCapabilities(), "none": nil, "SYS_NICE": {"CAP_SYS_NICE"}, "chown, CAP_KILL": {"CAP_CHOWN", "CAP_KILL"},
	} {
		var c Capabilities
		if err := c.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if d := cmp.Diff(want, c.oci().Bounding); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	for _, text := range []string{"", "ALL", "SYS_ADMIN", "SYS_NICE,", "x"} {
		if err := new(Capabilities).UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "write default, none") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Each bound is put in without the others.
func TestConfine(t *testing.T) {
	plain := func() *specs.Spec { return &specs.Spec{Process: &specs.Process{}, Linux: &specs.Linux{}} }
	none := Settings{}.security().confine(plain())
	if none.Linux.Seccomp != nil || none.Process.NoNewPrivileges || len(none.Process.Capabilities.Bounding) != 14 {
		t.Errorf("nothing asked for: %+v", none.Process)
	}
	filtered := Settings{Seccomp: runtimeDefault}.security().confine(plain())
	if filtered.Linux.Seccomp == nil || filtered.Linux.Seccomp.DefaultAction != specs.ActErrno || filtered.Process.NoNewPrivileges {
		t.Errorf("RuntimeDefault: %+v", filtered.Linux.Seccomp)
	}
	if s := (Settings{NoNewPrivileges: true}).security().confine(plain()); s.Linux.Seccomp != nil || !s.Process.NoNewPrivileges {
		t.Errorf("no new privileges: %+v", s.Process)
	}
	for profile, want := range map[string]string{"runtime/default": `seccomp: "runtime/default" is not a profile; write RuntimeDefault`, "Unconfined": "", "": ""} {
		err := (Settings{Seccomp: profile}).contradictions()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", profile, err)
		}
	}
}
