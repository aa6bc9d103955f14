package kubernetes

// Why the API server does not admit a pod, in the words of admission and validation, and whether waiting can change it.

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// exceeded are the words of a quota that is used up (apiserver's admission/plugin/resourcequota, CheckRequest).
var exceeded = regexp.MustCompile(`exceeded quota: ([^,]+), requested: (.*), used: (.*), limited: (.*)$`)

// amountsOf reads a list such as "pods=1,requests.cpu=500m".
func amountsOf(list string) map[string]resource.Quantity {
	all := map[string]resource.Quantity{}
	for _, one := range strings.Split(list, ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(one), "=")
		if v, err := resource.ParseQuantity(text); err == nil {
			all[name] = v
		}
	}
	return all
}

// passes tells that a refusal can end by itself: the quota is used up by other objects, as by the pods of the trial before,
// and is large enough for this one.
func passes(why string) bool {
	m := exceeded.FindStringSubmatch(why)
	if m == nil {
		return false
	}
	limited := amountsOf(m[4])
	for name, v := range amountsOf(m[2]) {
		if most, has := limited[name]; !has || v.Cmp(most) > 0 {
			return false
		}
	}
	return true
}

// lasts tells that each other attempt is refused too: by what the arm asks for, and by settings of the namespace.
func lasts(why string) bool {
	for _, words := range []string{"must be less than or equal to", "maximum ", "minimum ", "limit to request ratio", "failed quota", "violates PodSecurity", "no PriorityClass"} {
		if strings.Contains(why, words) {
			return true
		}
	}
	return exceeded.MatchString(why) && !passes(why)
}

// exceededAdvice is what to do about a quota by what it counts, "" where that is CPU or memory or not known.
func exceededAdvice(why string) record.Sentence {
	m := exceeded.FindStringSubmatch(why)
	if m == nil {
		return ""
	}
	for name := range amountsOf(m[2]) {
		switch {
		case name == "pods" || name == "count/pods":
			return record.AdviseQuotaPods
		case strings.Contains(name, "storage") || strings.Contains(name, "persistentvolumeclaims"):
			return record.AdviseQuotaVolumes
		}
	}
	return ""
}

// passesWithin is how long a start waits for a quota that others use up: the quota's controller counts the pods of the trial
// before for some seconds.
const passesWithin = 30 * time.Second

// refusing follows what a controller is told about the pods of its object.
type refusing struct {
	since time.Time // zero while there is none that can pass
}

// see is the error of a refusal, nil where there is none or it can still pass at now.
func (r *refusing) see(why string, now time.Time) error {
	if why == "" {
		r.since = time.Time{}
		return nil
	}
	if r.since.IsZero() {
		r.since = now
	}
	if passes(why) && now.Sub(r.since) < passesWithin {
		return nil
	}
	err := errors.New(record.PodRefused.Say(advised(why)))
	if lasts(why) {
		return target.Hopeless{Err: err}
	}
	return err
}

// refused says why a controller may not make the pods of its object, "" while it may or where
// that is not known: admission refuses them, or the API server's validation, as of a request above a limit. The
// objects of all trials of an arm have the same name, and events stay for an hour: those of an
// earlier one do not count.
func (c *cluster) refused(ctx context.Context, kind string, of schema.GroupVersionResource, name string) string {
	uid, err := c.uid(ctx, of, name)
	if err != nil || uid == "" { // the end of the time says it another way
		return ""
	}
	all, err := list[corev1.Event](ctx, c.scoped(events), "events", metav1.ListOptions{FieldSelector: fields.Set{
		"involvedObject.kind": kind, "involvedObject.name": name, "involvedObject.uid": string(uid), "reason": "FailedCreate",
	}.String()})
	if err != nil {
		return ""
	}
	for _, e := range all {
		if strings.Contains(e.Message, "is forbidden") || strings.Contains(e.Message, "is invalid") {
			return e.Message
		}
	}
	return ""
}

// uid tells an object from earlier ones of its name, "" without one. tare may list
// the objects that it makes, and not get them (docs/kubernetes-rbac.yaml).
func (c *cluster) uid(ctx context.Context, of schema.GroupVersionResource, name string) (types.UID, error) {
	found, err := list[metav1.PartialObjectMetadata](ctx, c.scoped(of), of.Resource, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	for _, o := range found {
		if o.Name == name {
			return o.UID, err
		}
	}
	return "", err
}
