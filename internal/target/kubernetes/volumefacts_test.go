package kubernetes

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/target"
)

// TestVolumeFacts: a trial's record has the size of the claim, its class, and the parameters of
// the class, which are settings and not the same in two classes.
func TestVolumeFacts(t *testing.T) {
	made, err := New(func(into any) error {
		*into.(*Settings) = Settings{Image: "m", StorageClass: "gp3", VolumeSize: 200 << 30, Kubeconfig: guardedCluster(t, &guarded{}), Namespace: "tare"}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	started, err := made.Start(ctx, target.Request{Name: "trial-1", ReadyWithin: 5 * time.Minute, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range started.(*server).Facts(ctx, "start") {
		if strings.HasPrefix(f.Key, "pod.volume") {
			got[f.Key] = f.Value + f.Unknown
		}
	}
	want := map[string]string{
		"pod.volume": "claim", "pod.volume.size": "200Gi", "pod.volume.class": "gp3", "pod.volume.provisioner": "ebs.csi.aws.com",
		"pod.volume.parameter.type": "gp3", "pod.volume.parameter.iops": "4000",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
