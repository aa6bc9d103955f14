package wire

import (
	"errors"
	"syscall"
)

// again is what a raw socket returns where a blocking one would wait. crypto/tls
// keeps its state over a temporary error and can be asked again.
type again struct{}

func (again) Error() string   { return "would block" }
func (again) Timeout() bool   { return true }
func (again) Temporary() bool { return true }

// errno finds the system's error in what crypto/tls returns. Whatever is none of
// the system's (a bad record, an alert) ends the connection as a reset does.
func errno(err error) syscall.Errno {
	var number syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.Is(err, again{}):
		return syscall.EAGAIN
	case errors.As(err, &number):
		return number
	}
	return syscall.ECONNRESET
}
