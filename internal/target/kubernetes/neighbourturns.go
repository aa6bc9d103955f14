package kubernetes

// A neighbour in turns: a pod of its own that learns from the server's database when its server's turns begin, as load
// pods do, and then works in them alone. So it is idle in the turns of the other arms, whose servers may be on its node.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// turnsFile is the file of the Secret with the login.
const turnsFile = "turns.json"

// neighbourTurns is the Secret that the neighbour reads: the server's password is in it. The address is the
// pod's own, which every pod of the cluster reaches, also where the load goes another way.
func (s *server) neighbourTurns() (*corev1.Secret, error) {
	at := s.account
	at.Host, at.Port = s.pod.Status.PodIP, s.serverPort
	text, err := json.Marshal(loadgen.Following{Run: s.request.Name, Server: at})
	if err != nil {
		return nil, record.StartNeighbour.Wrap(err)
	}
	m := s.meta()
	m.Name = s.neighbourName()
	m.Labels[roleLabel] = neighbourRole
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: m, Data: map[string][]byte{turnsFile: text},
	}, nil
}

// followHead is how long before the first turn a neighbour has to be told: it looks into the database a few times a second.
const followHead = 5 * time.Second

// follow is nil for an arm without a neighbour, and for one whose neighbour works all the time.
func (s *server) follow() *target.Follow {
	if s.target.settings.Neighbour == nil || s.request.Turns == nil {
		return nil
	}
	return &target.Follow{Begin: s.announceTurns, End: s.neighbourFollowed, Head: followHead}
}

// announceTurns tells the neighbour through the server's database; where generators are told, it is told with them.
func (s *server) announceTurns(ctx context.Context, at time.Time, announced bool) error {
	if announced {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, followHead)
	defer cancel()
	if err := (loadgen.Following{Run: s.request.Name, Server: s.Address()}).Announce(ctx, at); err != nil {
		return fmt.Errorf("tell the neighbour when its turns begin: %w", err)
	}
	return nil
}

// followedWithin is how long after the last turn the neighbour may take to compare clocks.
const followedWithin = time.Minute

// neighbourFollowed reads what the neighbour printed after the last turn.
func (s *server) neighbourFollowed(ctx context.Context) ([]record.Fact, error) {
	ctx, cancel := context.WithTimeout(ctx, followedWithin)
	defer cancel()
	for {
		facts, whole, err := s.followedLines(ctx)
		if err == nil && whole {
			return facts, nil
		}
		pod, looked := get[corev1.Pod](ctx, s.target.cluster, pods, s.neighbourName())
		if looked == nil && pod.Status.Phase != corev1.PodRunning {
			return nil, fmt.Errorf("the neighbour did not follow the turns: its pod is %s%s", pod.Status.Phase, s.target.cluster.lastWords(ctx, s.neighbourName(), neighbourRole))
		}
		if pause(ctx, pollEvery) != nil {
			return nil, fmt.Errorf("the neighbour did not say that its turns are over: %w", errors.Join(err, looked, ctx.Err()))
		}
	}
}

// followedLines are the lines of the log about the turns; whole says that the last one has come.
func (s *server) followedLines(ctx context.Context) (facts []record.Fact, whole bool, err error) {
	log, err := s.target.cluster.logs(ctx, s.neighbourName(), neighbourRole, false)
	if err != nil {
		return nil, false, err
	}
	defer log.Close()
	source := "pod " + s.neighbourName()
	for lines := bufio.NewScanner(io.LimitReader(log, 1<<20)); lines.Scan(); {
		var said struct {
			node.Followed
			Turns   *int     `json:"turns"`
			ClockMS *float64 `json:"clock_ms"`
			Unknown string   `json:"clock_unknown"`
		}
		if text := lines.Bytes(); !bytes.HasPrefix(text, []byte("{")) || json.Unmarshal(text, &said) != nil {
			continue
		}
		clock := record.Fact{Key: keys.NeighbourClockMS, Source: "NOW(6) of the server, over the neighbour's connection", Unknown: said.Unknown}
		switch {
		case said.Turns != nil:
			said.Followed.Turns = *said.Turns
			facts = append(facts, said.Facts(source)...)
		case said.ClockMS != nil:
			clock.Value, whole = strconv.FormatFloat(*said.ClockMS, 'f', 3, 64), true
			facts = append(facts, clock)
		case said.Unknown != "":
			facts, whole = append(facts, clock), true
		}
	}
	return facts, whole && len(facts) > 1, nil
}
