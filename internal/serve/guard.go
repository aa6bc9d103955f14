// Who may read, and what a browser is told about what it gets.

package serve

import (
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/report/language"
)

// ownPolicy is for the pages of this package; reports bring their own, stricter.
const ownPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const cookie = "tare-token"

// guard stands before every answer.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cache-Control", "no-store")
		if !s.knownHost(r.Host) {
			http.Error(w, language.Say(readerOf(r).Lang, "fault.host", "host", r.Host), http.StatusMisdirectedRequest)
			return
		}
		if s.Token == "" {
			next.ServeHTTP(w, r)
			return
		}
		s.askToken(w, r, next)
	})
}

func (s *server) knownHost(host string) bool {
	if len(s.Hosts) == 0 {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains(s.Hosts, strings.Trim(host, "[]"))
}

// askToken takes the token from a link once and keeps it in a cookie, so that it
// does not stay in the address bar; programs send it as a bearer.
func (s *server) askToken(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if given := r.URL.Query().Get("token"); given != "" && s.isToken(given) {
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: given, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		q := r.URL.Query()
		q.Del("token")
		r.URL.RawQuery = q.Encode()
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusSeeOther)
		return
	}
	given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if c, err := r.Cookie(cookie); err == nil {
		given = c.Value
	}
	if !s.isToken(given) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, language.Say(readerOf(r).Lang, "fault.token"), http.StatusUnauthorized)
		return
	}
	next.ServeHTTP(w, r)
}

func (s *server) isToken(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(s.Token)) == 1
}
