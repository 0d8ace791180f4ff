package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// TokenPrefix is what every token begins with, so that scanners find one that was published by mistake.
const TokenPrefix = "dtp_"

// Hash is the SHA-256 of a secret: what is kept in its place. Secrets are random and long, so that nobody can find one
// by its hash.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// HashOf returns the hash of a secret.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// NewToken returns a new token.
func NewToken() string { return TokenPrefix + NewSecret() }

// NewSecret returns a secret of more than 200 bits.
func NewSecret() string { return rand.Text() + rand.Text() }
