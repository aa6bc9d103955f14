package kubernetes

// The login of a server whose manifests have no Secret: what its container has in the
// environment, as the images of MySQL, MariaDB and Percona Server read it.

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
)

// logInByEnvironment takes user and password from the server's container. Before there
// is a pod nothing is known, and nothing is wrong.
func (s *server) logInByEnvironment(ctx context.Context) error {
	if s.pod == nil {
		return nil
	}
	l := s.target.settings.Server
	c := containerOf(s.pod, s.container)
	if c == nil {
		return fmt.Errorf("read the server's password: pod %s has no container %s", s.pod.Name, s.container)
	}
	s.account = mysqld.Address{User: l.User, Schema: l.Schema}
	for _, e := range c.Env {
		switch {
		case isAnyOf(e.Name, "ALLOW_EMPTY_PASSWORD", "ALLOW_EMPTY_ROOT_PASSWORD") && e.Value != "":
			return nil
		case !isAnyOf(e.Name, "ROOT_PASSWORD"):
		case e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil:
			ref := e.ValueFrom.SecretKeyRef
			secret, err := get[corev1.Secret](ctx, s.target.cluster, secrets, ref.Name)
			if err != nil {
				err = s.target.cluster.explain(err)
				return record.ReadPassword.Wrap(err)
			}
			s.account.Password = string(secret.Data[ref.Key])
			return nil
		default:
			s.account.Password = e.Value
			return nil
		}
	}
	return fmt.Errorf("read the server's password: container %s has neither MYSQL_ROOT_PASSWORD nor MYSQL_ALLOW_EMPTY_PASSWORD in its environment; write server: {secret: NAME, passwordKey: KEY}", s.container)
}

// isAnyOf is whether a variable is one of those with either product's prefix.
func isAnyOf(name string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return name == "MYSQL_"+s || name == "MARIADB_"+s })
}
