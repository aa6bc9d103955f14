package kubernetes

// The copy of the data that a trial begins with has a time of its own: 27 GB on a
// cloud's volume take minutes, and `ready` is for the server's first answer.

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/record"
)

// dataAreThere is what start.sh prints before it starts the server.
const dataAreThere = "tare: the data are there"

// copiedWithin bounds the copy: an hour is 100 GB at 28 MB/s.
const copiedWithin = time.Hour

// copied waits until start.sh has the data in place. A log that cannot be read ends
// this wait: then the copy is part of `ready`, as a server's start is.
func (s *server) copied(ctx context.Context) error {
	if s.target.settings.Bare {
		return nil
	}
	limit, cancel := context.WithTimeout(ctx, copiedWithin)
	defer cancel()
	for {
		there, err := s.dataAreThere(limit)
		if there || err != nil && !retryable(err) && limit.Err() == nil {
			return nil
		}
		pod, err := get[corev1.Pod](limit, s.target.cluster, pods, s.podName())
		if err == nil {
			if err := s.died(limit, pod); err != nil {
				return err
			}
		}
		if err := pause(limit, pollEvery); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return errors.New(record.CopyInPod.Say(copiedWithin.String()))
		}
	}
}

// dataAreThere reads the container's log for that line. The server's own lines come
// after it, so the beginning is enough.
func (s *server) dataAreThere(ctx context.Context) (bool, error) {
	log, err := s.target.cluster.logs(ctx, s.podName(), s.container, false)
	if err != nil {
		return false, err
	}
	defer log.Close()
	text, err := io.ReadAll(io.LimitReader(log, 1<<20))
	return bytes.Contains(text, []byte(dataAreThere)), err
}
