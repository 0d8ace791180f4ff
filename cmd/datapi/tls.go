package main

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/datapi/datapi/internal/store"
)

// selfSignedFor is how long a self-signed certificate is valid; a start makes a new one if less than selfSignedRenew is
// left.
const (
	selfSignedFor   = 397 * 24 * time.Hour
	selfSignedRenew = 30 * 24 * time.Hour
)

// serverTLS returns the TLS configuration that the settings ask for, nil for plain HTTP. Its errors are one line with
// the remedy.
func serverTLS(s *settings, log *slog.Logger) (*tls.Config, error) {
	if !s.secure() {
		return nil, nil
	}
	var pair tls.Certificate
	var err error
	if s.tlsSelfSigned {
		pair, err = selfSigned(s.dataDir, log, s.listen, s.advertise)
	} else if pair, err = tls.LoadX509KeyPair(s.tlsCert, s.tlsKey); err != nil {
		err = fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	if err != nil {
		return nil, err
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

// The files of a self-signed certificate, in their folder of the data directory.
const (
	tlsFolder = "tls"
	certFile  = "cert.pem"
	keyFile   = "key.pem"
)

// selfSigned returns the self-signed certificate of a data directory.
func selfSigned(dataDir string, log *slog.Logger, reached ...string) (tls.Certificate, error) {
	data, err := store.OpenDataDirectory(dataDir, log)
	if err != nil {
		return tls.Certificate{}, err
	}
	defer data.Close()
	folder, err := data.Folder(tlsFolder)
	if err != nil {
		return tls.Certificate{}, err
	}
	defer func() { _ = folder.Close() }()
	if err := makeSelfSigned(folder, time.Now(), reached...); err != nil {
		return tls.Certificate{}, fmt.Errorf("make a certificate in %s: %w", filepath.Join(data.Path(), tlsFolder), err)
	}
	cert, certErr := folder.ReadFile(certFile)
	key, keyErr := folder.ReadFile(keyFile)
	pair, err := tls.X509KeyPair(cert, key)
	if wrong := cmp.Or(certErr, keyErr, err); wrong != nil {
		return pair, fmt.Errorf("the certificate in %s cannot be used: %w; remove it, and the next start makes another one",
			filepath.Join(data.Path(), tlsFolder), wrong)
	}
	return pair, nil
}

// makeSelfSigned makes a certificate for this host in a folder, unless the one that is there lasts for a while and has
// every name of the addresses at which the service is reached.
func makeSelfSigned(folder *os.Root, now time.Time, reached ...string) error {
	names, addresses := certificateNames(reached...)
	if isUsable(folder, names, addresses, now) {
		return nil
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: names[0]}, DNSNames: names, IPAddresses: addresses,
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(selfSignedFor), BasicConstraintsValid: true, IsCA: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	if err := writePEM(folder, keyFile, "PRIVATE KEY", secret, 0o600); err != nil {
		return err
	}
	return writePEM(folder, certFile, "CERTIFICATE", public, 0o644)
}

// certificateNames returns the names and addresses by which clients reach the service: this host's name, localhost,
// loopback, and those of the addresses that it listens on and is said to be at.
func certificateNames(reached ...string) ([]string, []net.IP) {
	names := []string{"localhost"}
	if host, err := os.Hostname(); err == nil {
		names = []string{host, "localhost"}
	}
	addresses := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	for _, address := range reached {
		host, _, err := net.SplitHostPort(address)
		switch ip := net.ParseIP(host); {
		case err != nil || host == "":
		case ip == nil && !slices.Contains(names, host):
			names = append(names, host)
		case ip != nil && !ip.IsLoopback() && !ip.IsUnspecified():
			addresses = append(addresses, ip)
		}
	}
	return names, addresses
}

// isUsable reports whether a certificate exists, is valid for selfSignedRenew more and has all the names.
func isUsable(folder *os.Root, names []string, addresses []net.IP, now time.Time) bool {
	data, err := folder.ReadFile(certFile)
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

// writePEM writes one block; the file is replaced as a whole, whatever has its name.
func writePEM(folder *os.Root, file, kind string, der []byte, mode os.FileMode) error {
	next := file + ".next"
	if err := folder.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := folder.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return folder.Rename(next, file)
}

// ownCertificates returns the certificates of a server, nil for plain HTTP.
func ownCertificates(config *tls.Config) []tls.Certificate {
	if config == nil {
		return nil
	}
	return config.Certificates
}

// certificateSum returns the SHA-256 of the certificate that a server shows, nil for plain HTTP.
func certificateSum(config *tls.Config) []byte {
	if config == nil {
		return nil
	}
	sum := sha256.Sum256(config.Certificates[0].Certificate[0])
	return sum[:]
}

// fingerprint returns the SHA-256 of the certificate in the form that browsers show.
func fingerprint(config *tls.Config) string {
	return fmt.Sprintf("%X", certificateSum(config))
}
