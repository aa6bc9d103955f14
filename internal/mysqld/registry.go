package mysqld

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// imageRoot pulls an image into the cache, under the digest of the reference.
// A reference with a digest that has been pulled before needs no network. A tag
// is looked up every time: what it stood for last time is not an answer to what it
// stands for.
func imageRoot(ctx context.Context, ref, cache string, log io.Writer) (string, error) {
	r, err := name.ParseReference(ref)
	if err != nil {
		return "", fmt.Errorf("read image reference: %w (write it as mysql:8.4 or registry.example.com/mysql@sha256:...)", err)
	}
	opts := []remote.Option{
		remote.WithContext(ctx),
		remote.WithPlatform(platform()),
		// What docker login, podman login and the credential helpers leave.
		remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithUserAgent("tare"),
	}
	digest, err := digestOf(r, opts)
	if err != nil {
		return "", explainRegistry(r, err)
	}
	return once(ctx, cache, fmt.Sprintf("image-%s-%s", digest.Hex, runtime.GOARCH), log, func(work string) error {
		fmt.Fprintf(log, "Pulling %s (%s), once.\n", ref, digest)
		img, err := remote.Image(r.Context().Digest(digest.String()), opts...)
		if err == nil {
			err = smallConfig(img)
		}
		if err != nil {
			return explainRegistry(r, err)
		}
		if err := unpackImage(ctx, img, work, log); err != nil {
			return explainRegistry(r, err)
		}
		return nil
	})
}

// digestOf is the digest that a reference has or stands for now.
func digestOf(r name.Reference, opts []remote.Option) (v1.Hash, error) {
	if d, ok := r.(name.Digest); ok {
		return v1.NewHash(d.DigestStr())
	}
	if d, err := remote.Head(r, opts...); err == nil {
		return d.Digest, nil
	}
	// An answer to HEAD has no body to say what is wrong, and not every
	// registry answers it.
	d, err := remote.Get(r, opts...)
	if err != nil {
		return v1.Hash{}, err
	}
	return d.Digest, nil
}

// explainRegistry says what to do about a registry's refusal.
func explainRegistry(r name.Reference, err error) error {
	host := r.Context().RegistryStr()
	var answer *transport.Error
	var unknownCA x509.UnknownAuthorityError
	var unreachable net.Error
	hint := ""
	switch {
	case errors.As(err, &answer):
		hint = statusHint(answer.StatusCode, host)
	case errors.As(err, &unknownCA):
		hint = "add the registry's certificate authority to this machine's, or point SSL_CERT_FILE at it"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.As(err, &unreachable):
		hint = fmt.Sprintf("%s cannot be reached: check the network and the proxy settings; without a registry, use rootfs or oci, or an image by digest that was pulled before", host)
	}
	if hint == "" {
		return fmt.Errorf("pull image %s: %w", r, err)
	}
	return fmt.Errorf("pull image %s: %w: %s", r, err, hint)
}

func statusHint(status int, host string) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("%s denies access: check the name, and log in with `docker login %s` or `podman login %s` if it is private", host, host, host)
	case http.StatusNotFound:
		return fmt.Sprintf("%s has no such image or tag: check the name", host)
	case http.StatusTooManyRequests:
		return fmt.Sprintf("%s limits the rate of pulls: wait, log in, or use a mirror", host)
	}
	return ""
}
