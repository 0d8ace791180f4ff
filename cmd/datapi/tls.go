package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// selfSignedFor is how long a self-signed certificate is valid; a start makes a new one if less than selfSignedRenew is
// left.
const (
	selfSignedFor   = 397 * 24 * time.Hour
	selfSignedRenew = 30 * 24 * time.Hour
)

// serverTLS returns the TLS configuration that the settings ask for, nil for plain HTTP. Its errors are one line with
// the remedy.
func serverTLS(s *settings) (*tls.Config, error) {
	if !s.secure() {
		return nil, nil
	}
	cert, key := s.tlsCert, s.tlsKey
	if s.tlsSelfSigned {
		var err error
		if cert, key, err = selfSignedFiles(filepath.Join(s.dataDir, "tls"), s.listen, time.Now()); err != nil {
			return nil, fmt.Errorf("make a certificate: %w", err)
		}
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}
	if s.tlsClientCA != "" {
		data, err := os.ReadFile(s.tlsClientCA)
		if err != nil {
			return nil, fmt.Errorf("--tls-client-ca: %w", err)
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("--tls-client-ca: %s holds no PEM certificate", s.tlsClientCA)
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config, nil
}

// selfSignedFiles returns the files of a self-signed certificate for this host. It makes a new one if there is none, if
// it is about to expire, or if it lacks a name of the address.
func selfSignedFiles(dir, listen string, now time.Time) (cert, key string, err error) {
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	names, addresses := certificateNames(listen)
	if isUsable(cert, names, addresses, now) {
		return cert, key, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return "", "", err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: names[0]}, DNSNames: names, IPAddresses: addresses,
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(selfSignedFor), BasicConstraintsValid: true, IsCA: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return "", "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", err
	}
	if err := writePEM(key, "PRIVATE KEY", secret, 0o600); err != nil {
		return "", "", err
	}
	return cert, key, writePEM(cert, "CERTIFICATE", public, 0o644)
}

// certificateNames returns the names and addresses by which clients reach the address: this host's name, localhost,
// loopback and the IP that it listens on.
func certificateNames(listen string) ([]string, []net.IP) {
	names := []string{"localhost"}
	if host, err := os.Hostname(); err == nil {
		names = []string{host, "localhost"}
	}
	addresses := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && ip != nil && !ip.IsLoopback() && !ip.IsUnspecified() {
		addresses = append(addresses, ip)
	}
	return names, addresses
}

// isUsable reports whether a certificate exists, is valid for selfSignedRenew more and has all the names.
func isUsable(file string, names []string, addresses []net.IP, now time.Time) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return false
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil || now.Add(selfSignedRenew).After(c.NotAfter) {
		return false
	}
	for _, n := range names {
		if c.VerifyHostname(n) != nil {
			return false
		}
	}
	for _, ip := range addresses {
		if c.VerifyHostname(ip.String()) != nil {
			return false
		}
	}
	return true
}

// writePEM writes one block; the file is replaced as a whole.
func writePEM(file, kind string, der []byte, mode os.FileMode) error {
	next := file + ".next"
	if err := os.WriteFile(next, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode); err != nil {
		return err
	}
	return os.Rename(next, file)
}

// fingerprint returns the SHA-256 of the certificate in the form that browsers show.
func fingerprint(config *tls.Config) string {
	return fmt.Sprintf("%X", sha256.Sum256(config.Certificates[0].Certificate[0]))
}
