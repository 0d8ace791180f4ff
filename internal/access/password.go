package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The cost of a password's hash (RFC 9106, the second recommended choice: 64 MiB).
const (
	passTime, passMemory, passThreads = 3, 64 << 10, 4
	passSalt, passLength              = 16, 32
)

// The bounds of a password, in characters and bytes.
const (
	MinPassword = 12
	MaxPassword = 1024
)

// hashing bounds how many passwords are hashed at once: each takes 64 MiB for a while.
var hashing = make(chan struct{}, 2)

// HashPassword returns the argon2id hash of a password, with its salt and cost, in the form that is common for it. It
// waits while two others are hashed; the error is ctx's.
func HashPassword(ctx context.Context, password string) (string, error) {
	salt := make([]byte, passSalt)
	_, _ = rand.Read(salt) // it never fails
	key, err := derive(ctx, password, salt, passTime, passMemory, passThreads, passLength)
	if err != nil {
		return "", err
	}
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, passMemory, passTime, passThreads, text(salt), text(key)), nil
}

// noUser is the hash that is compared with where there is no user, so that the time of an answer does not tell who there is.
const noUser = "$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// CheckPassword reports whether a hash of HashPassword is that of a password; hash is "" where there is none, which takes
// as long. It waits while two others are hashed; the error is ctx's, or that of a hash that cannot be read.
func CheckPassword(ctx context.Context, hash, password string) (bool, error) {
	known := hash != ""
	if !known {
		hash = noUser
	}
	var version, memory, time, threads int
	var salt, key string
	if _, err := fmt.Sscanf(strings.ReplaceAll(hash, "$", " "), " argon2id v=%d m=%d,t=%d,p=%d %s %s", &version, &memory, &time, &threads, &salt, &key); err != nil {
		return false, fmt.Errorf("the hash of a password cannot be read: %w", err)
	}
	rawSalt, err := base64.RawStdEncoding.DecodeString(salt)
	if err != nil {
		return false, err
	}
	want, err := base64.RawStdEncoding.DecodeString(key)
	if err != nil {
		return false, err
	}
	got, err := derive(ctx, password, rawSalt, uint32(time), uint32(memory), uint8(threads), uint32(len(want)))
	return err == nil && known && subtle.ConstantTimeCompare(got, want) == 1, err
}

// derive computes a key while at most two are computed.
func derive(ctx context.Context, password string, salt []byte, time, memory uint32, threads uint8, length uint32) ([]byte, error) {
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return argon2.IDKey([]byte(password), salt, time, memory, threads, length), nil
}
