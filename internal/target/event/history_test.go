package event

import (
	"errors"
	"testing"
	"time"
)

// TestPromotionBelongsToItsEvent: a failover that ends after the next event has begun is that of the
// event of the old primary; one of a member without an event is that of the last event.
func TestPromotionBelongsToItsEvent(t *testing.T) {
	events := func() *History {
		h := &History{}
		h.add(happened{event: Event{Kill: ThePrimary}, member: 1, before: 1, began: 10 * time.Second})
		h.add(happened{event: Event{SlowLink: TheSecondary}, member: 2, before: 1, began: 12 * time.Second})
		return h
	}
	h := events()
	h.NotPromoted(1, "no member can be promoted")
	h.Promoted(15*time.Second, 1, 3)
	if one := h.all[0]; one.after != 3 || one.promoted != 5*time.Second || one.unpromoted == "" {
		t.Errorf("the event of the old primary is %+v", one)
	}
	if one := h.all[1]; one.after != 0 || one.promoted != 0 || one.unpromoted != "" {
		t.Errorf("the event of the other member is %+v", one)
	}
	h = events()
	h.Promoted(15*time.Second, 3, 1)
	if h.all[0].promoted != 0 || h.all[1].promoted != 3*time.Second {
		t.Errorf("the primary had no event; the events are %+v", h.all)
	}
	(&History{}).Promoted(time.Second, 1, 2) // before any event
}

// TestPromotionAfterAnEventThatWasNot: an event that could not be carried out causes nothing.
func TestPromotionAfterAnEventThatWasNot(t *testing.T) {
	h := &History{}
	h.add(happened{member: 1, before: 1, began: 10 * time.Second})
	h.add(happened{member: 1, before: 1, began: 12 * time.Second, failed: errors.New("it is not running")})
	h.Promoted(15*time.Second, 1, 2)
	if h.all[0].promoted != 5*time.Second || h.all[1].promoted != 0 {
		t.Errorf("the events are %+v", h.all)
	}
}
