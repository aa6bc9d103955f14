package node

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// kubeletNodes are the nodes that testdata/kubelet-v1.34.4-cgroup1.txt and cgroup2.txt were read on, and
// kubeletPods are the pods of lab/cgroups.yaml that ran on them.
var (
	kubeletNodes    = map[string]Resources{"1": {CPU: 2000, Memory: 24684096 << 10}, "2": {CPU: 2000, Memory: 12246240 << 10}}
	kubeletReserved = Resources{CPU: 100, Memory: 256 << 20}
)

func kubeletPods() map[string]struct {
	Requirements
	Enforced
} {
	limit := Resources{CPU: 500, Memory: 512 << 20}
	return map[string]struct {
		Requirements
		Enforced
	}{
		"besteffort": {},
		"burstable":  {Requirements: Requirements{Request: Resources{CPU: 250, Memory: 256 << 20}, Limit: limit}},
		"guaranteed": {Requirements: Requirements{Limit: limit}},
		"exclusive": {
			Requirements: Requirements{Limit: Resources{CPU: 1000, Memory: 512 << 20}},
			Enforced:     Enforced{Quota: new(CPU), CPUs: CPUSet{1}},
		},
	}
}

// TestAsAKubelet: for the pods that a real kubelet and runc have run, every level
// has the weight, quota, CPUs and memory limits in this kernel that they had.
func TestAsAKubelet(t *testing.T) {
	h, err := findHierarchy()
	if err != nil {
		t.Fatal(err)
	}
	version := map[bool]string{false: "1", true: "2"}[h.unified]
	want := readKubelet(t, version)
	all, err := ReadTopology(os.DirFS("/"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 2 {
		t.Skip("the fixture's node has two CPUs, and CPU 1 is exclusive")
	}
	for name, pod := range kubeletPods() {
		t.Run(name, func(t *testing.T) {
			tree := newTestTreeOf(t, name, kubeletNodes[version], kubeletReserved)
			p, err := tree.AddPod("server", "", pod.Requirements, pod.Enforced)
			if err == nil {
				err = p.makeContainer()
			}
			if err != nil {
				t.Fatal(err)
			}
			compared := 0
			for level, path := range levelsOf(tree, p) {
				for file, value := range want[name][level] {
					controller, _, _ := strings.Cut(file, ".")
					if controller == "pids" || file == "oom_score_adj" { // no layer, and below
						continue
					}
					// Of v2: which CPUs apply is in cpuset.cpus.effective, and the weight of the only container
					// of a pod changes nothing and has the formula of the runtime's version (QuadraticWeight).
					if version == "2" && (file == "cpuset.cpus" || file == "cpuset.mems" || file == "cpu.weight" && level == "container") {
						continue
					}
					if strings.HasPrefix(file, "cpuset.cpus") && value == "0-1" { // all there are
						value = all.CPUs().String()
					}
					compared++
					from := tree.hierarchy.file(controller, path, file)
					if _, err := os.Stat(from); file == "cpuset.cpus.effective" && err != nil && value == all.CPUs().String() {
						continue // without the controller all CPUs are allowed
					}
					if got := firstLine(t, from); got != value {
						t.Errorf("%s of the %s is %s, and a kubelet's %s", file, level, got, value)
					}
				}
			}
			if compared != map[string]int{"1": 4 * 10, "2": 4*9 - 1}[version] {
				t.Errorf("%d values compared", compared)
			}
			adj := strconv.Itoa(OOMScoreAdj(p.Class(), p.request.Memory, kubeletNodes[version].Memory))
			if got := want[name]["container"]["oom_score_adj"]; p.Class() != Guaranteed && got != adj { // the fixture says why
				t.Errorf("oom_score_adj is %s, and a kubelet's %s", adj, got)
			}
		})
	}
}

// levelsOf are the cgroups of a pod by the fixture's names for them.
func levelsOf(tree *Tree, p *Pod) map[string]string {
	class := tree.top.path
	for i, c := range []QoS{BestEffort, Burstable} {
		if p.class == c {
			class = tree.tiers[i].path
		}
	}
	return map[string]string{"node": tree.top.path, "class": class, "pod": p.pod.path, "container": p.container.path}
}

// readKubelet reads the fixture of cgroup v1 or v2: pod, level, file, value.
func readKubelet(t *testing.T, version string) map[string]map[string]map[string]string {
	t.Helper()
	f, err := os.Open("testdata/kubelet-v1.34.4-cgroup" + version + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]map[string]map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		name, value, _ := strings.Cut(lines.Text(), " = ")
		parts := strings.SplitN(name, "/", 3)
		if len(parts) != 3 {
			t.Fatalf("no value: %q", lines.Text())
		}
		if all[parts[0]] == nil {
			all[parts[0]] = map[string]map[string]string{}
		}
		if all[parts[0]][parts[1]] == nil {
			all[parts[0]][parts[1]] = map[string]string{}
		}
		all[parts[0]][parts[1]][parts[2]] = value
	}
	return all
}

func firstLine(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}
