// Keys and certificates, as kubeadm makes them: one authority, a certificate for
// every component that says who it is, and its kubeconfig.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// identities are the users of the cluster: name of the kubeconfig, common name
// and organisation, which Kubernetes reads as user and group.
func identities() [][3]string {
	all := [][3]string{
		{"admin", "lab-admin", "system:masters"},
		{"kube-controller-manager", "system:kube-controller-manager", ""},
		{"kube-scheduler", "system:kube-scheduler", ""},
		{"kube-proxy", "system:kube-proxy", ""},
		// tare's own account, with the rights that docs/kubernetes-rbac.yaml gives it.
		{"tare", "system:serviceaccount:tare:tare", ""},
		{"flannel", "flannel", ""},
		{"kubelet-client", "kube-apiserver-kubelet-client", "system:masters"},
	}
	for _, n := range nodes {
		all = append(all, [3]string{n.name, "system:node:" + n.name, "system:nodes"})
	}
	return all
}

// authority signs.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pem  []byte
	dir  string
}

func (l *lab) kubeconfig(name string) string { return l.path("run", "pki", name+".kubeconfig") }
func (l *lab) pki(file string) string        { return l.path("run", "pki", file) }

// makePKI rewrites everything: a lab lives for hours.
func (l *lab) makePKI() error {
	a := &authority{dir: l.path("run", "pki")}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return fmt.Errorf("make keys: %w", err)
	}
	ca := &x509.Certificate{Subject: pkix.Name{CommonName: "lab"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	var err error
	if a.key, a.pem, err = a.sign("ca", ca); err != nil {
		return err
	}
	block, _ := pem.Decode(a.pem)
	if a.cert, err = x509.ParseCertificate(block.Bytes); err != nil {
		return fmt.Errorf("make keys: %w", err)
	}
	api := &x509.Certificate{
		Subject: pkix.Name{CommonName: "kube-apiserver"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
		IPAddresses: []net.IP{net.ParseIP(apiAddress), net.ParseIP(apiService), net.ParseIP("127.0.0.1")},
	}
	if _, _, err := a.sign("apiserver", api); err != nil {
		return err
	}
	for _, id := range identities() {
		if err := a.identity(id[0], id[1], id[2]); err != nil {
			return err
		}
	}
	// The controller manager signs the tokens of service accounts with this one.
	_, _, err = a.sign("service-accounts", &x509.Certificate{Subject: pkix.Name{CommonName: "service-accounts"}})
	return err
}

// identity makes a client's certificate and kubeconfig.
func (a *authority) identity(name, user, group string) error {
	t := &x509.Certificate{Subject: pkix.Name{CommonName: user}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if group != "" {
		t.Subject.Organization = []string{group}
	}
	key, cert, err := a.sign(name, t)
	if err != nil {
		return err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return err
	}
	b64 := base64.StdEncoding.EncodeToString
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: tarelab, cluster: {server: "https://%s:6443", certificate-authority-data: %s}}]
users: [{name: %s, user: {client-certificate-data: %s, client-key-data: %s}}]
contexts: [{name: tarelab, context: {cluster: tarelab, user: %s}}]
current-context: tarelab
`, apiAddress, b64(a.pem), name, b64(cert), b64(keyPEM), name)
	return a.write(name+".kubeconfig", []byte(text))
}

// sign makes a key and its certificate, in NAME.key and NAME.crt; the first one
// signs itself.
func (a *authority) sign(name string, t *x509.Certificate) (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make key %s: %w", name, err)
	}
	t.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, nil, fmt.Errorf("make key %s: %w", name, err)
	}
	t.NotBefore, t.NotAfter = time.Now().Add(-time.Hour), time.Now().AddDate(1, 0, 0)
	t.KeyUsage |= x509.KeyUsageDigitalSignature
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = t, key
	}
	der, err := x509.CreateCertificate(rand.Reader, t, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, nil, fmt.Errorf("sign %s: %w", name, err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM, err := encodeKey(key)
	if err == nil {
		err = a.write(name+".key", keyPEM)
	}
	if err == nil {
		err = a.write(name+".crt", cert)
	}
	return key, cert, err
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

func (a *authority) write(name string, b []byte) error {
	if err := os.WriteFile(filepath.Join(a.dir, name), b, 0o600); err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	return nil
}
