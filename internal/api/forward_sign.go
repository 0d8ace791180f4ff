package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/access"
)

// forwardedHeader is in calls that a node passes on: who asks, signed with the secret of the node that it goes to.
const forwardedHeader = "Datapi-Forwarded"

// forwardedFor is how long a signature holds: the clocks of two nodes may differ by that much.
const forwardedFor = 5 * time.Minute

// forwarded is what a node says of a call that it passes on.
type forwarded struct {
	// From and To are the names of the two nodes.
	From string `json:"from"`
	To   string `json:"to"`
	// Principal is the name of who asks; Kind, ID and Role say more. A node from before there were roles leaves them out.
	Principal string      `json:"principal"`
	Kind      access.Kind `json:"kind"`
	ID        string      `json:"id"`
	Role      string      `json:"role"`
	// Scope is to what the principal is restricted, null for everything.
	Scope *access.Scope `json:"scope"`
	// At is when it was signed, in seconds of Unix time.
	At int64 `json:"at"`
	// Call is the SHA-256 of what is asked: the method, the path with its query, the headers that go on, and the body.
	Call []byte `json:"call"`
}

// principal returns who asks.
func (f forwarded) principal() access.Principal {
	p := access.Principal{Kind: f.Kind, ID: f.ID, Name: f.Principal, Scope: f.Scope}
	var err error
	if p.Role, err = access.ParseRole(f.Role); err != nil {
		p.Role = access.Admin // that node let nobody else in
	}
	if p.Kind == "" {
		p.Kind = access.KindToken
	}
	return p
}

// callDigest returns what a signature says of a call.
func callDigest(method, uri string, header http.Header, body []byte) []byte {
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode([]string{method, uri}) // a hash takes everything
	for _, name := range forwardedHeaders {
		_ = json.NewEncoder(sum).Encode(header.Values(name))
	}
	sum.Write(body)
	return sum.Sum(nil)
}

// sign returns the value of forwardedHeader.
func (f forwarded) sign(secret []byte) string {
	text := base64.RawURLEncoding.EncodeToString(encode(f))
	return text + "." + base64.RawURLEncoding.EncodeToString(signature(secret, text))
}

func signature(secret []byte, text string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// readForwarded returns what the header of a call that was passed on says; ok is false where it was not signed with the
// secret, for this node, and lately. The body is compared when it was read (isOf).
func readForwarded(header, node string, secret []byte, now time.Time) (f forwarded, ok bool) {
	text, mac, _ := strings.Cut(header, ".")
	given, err := base64.RawURLEncoding.DecodeString(mac)
	if err != nil || len(secret) == 0 || !hmac.Equal(given, signature(secret, text)) {
		return f, false
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(data, &f) != nil {
		return f, false
	}
	age := now.Sub(time.Unix(f.At, 0)).Abs()
	return f, f.To == receiver(node, f.Scope) && age <= forwardedFor
}

// receiver returns the name by which a call is signed for a node. One of somebody with a scope has another name in it, so
// that a node which knows no scopes, and would carry it out for all objects, takes it for another node's.
func receiver(node string, scope *access.Scope) string {
	if scope == nil {
		return node
	}
	return node + " with scopes"
}

// isOf reports whether the signature is that of the call.
func (f forwarded) isOf(method, uri string, header http.Header, body []byte) bool {
	return hmac.Equal(f.Call, callDigest(method, uri, header, body))
}
