package api

import (
	"strconv"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/access"
)

// allowed returns how many of n requests at once are taken.
func (l *rateLimiter) allowed(caller string, n int, now time.Time) (taken int) {
	for range n {
		if l.allow(caller, 1, now) {
			taken++
		}
	}
	return taken
}

func TestACallerMaySendTwiceItsRateAtOnceAndThenItsRate(t *testing.T) {
	l, now := newRateLimiter(10), time.Now()
	if got := l.allowed("a", 100, now); got != 20 {
		t.Errorf("at once: %d", got)
	}
	if got := l.allowed("a", 100, now.Add(time.Second)); got != 10 {
		t.Errorf("a second later: %d", got)
	}
	if got := l.allowed("b", 100, now); got != 20 {
		t.Errorf("another caller: %d", got)
	}
	if got := newRateLimiter(0).allowed("a", 100, now); got != 100 {
		t.Errorf("without a limit: %d", got)
	}
}

func TestARequestCountsAsItsCost(t *testing.T) {
	l, now := newRateLimiter(10), time.Now()
	if !l.allow("a", 15, now) || l.allow("a", 6, now) || !l.allow("a", 5, now) {
		t.Error("15, 6 and 5 of 20 at once")
	}
	if !l.allow("b", 100, now) {
		t.Error("what costs more than the burst is never taken")
	}
	if l.allow("b", 1, now.Add(7*time.Second)) {
		t.Error("what is owed was forgiven")
	}
	if !l.allow("b", 1, now.Add(9*time.Second)) {
		t.Error("what was owed is paid and the caller still waits")
	}
}

func TestIdleCallersAreDroppedAndTheirNumberIsBounded(t *testing.T) {
	l, now := newRateLimiter(1), time.Now()
	for i := range 2 * maxCallers {
		l.allow(strconv.Itoa(i), 2, now)
	}
	if len(l.callers) != maxCallers {
		t.Errorf("%d callers are known, not %d", len(l.callers), maxCallers)
	}
	if l.allow("one more", 1, now) {
		t.Error("callers without room do not share their limit")
	}
	if got := l.allowed("0", 2, now.Add(time.Second)); got != 1 {
		t.Errorf("a caller that is not idle was dropped: %d of 2", got)
	}
	later := now.Add(dropEvery)
	if !l.allow("one more", 1, later) || len(l.callers) != 1 {
		t.Errorf("%d callers are known after they have sent nothing for long", len(l.callers))
	}
}

func TestStrangersAreToldApartByAddress(t *testing.T) {
	for _, c := range []struct {
		principal access.Principal
		one, two  string
		same      bool
	}{
		{access.LocalAdmin, "192.0.2.1:1", "192.0.2.2:2", true},
		{access.Anonymous, "192.0.2.1:1", "192.0.2.1:2", true},
		{access.Anonymous, "192.0.2.1:1", "192.0.2.2:1", false},
		{access.Anonymous, "192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{access.Anonymous, "[2001:db8::1]:1", "[2001:db8::ffff]:1", true},
		{access.Anonymous, "[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{access.Anonymous, "[fe80::1%eth0]:1", "[fe80::1%eth1]:1", true},
		{access.Anonymous, "@", "@", true},
	} {
		if got := callerOf(c.principal, c.one) == callerOf(c.principal, c.two); got != c.same {
			t.Errorf("%s at %s and %s: the same caller is %v", c.principal.Name, c.one, c.two, got)
		}
	}
	token := access.Principal{Kind: access.KindToken, ID: "1", Name: "one"}
	if user := (access.Principal{Kind: access.KindUser, ID: "1", Name: "one"}); callerOf(token, "") == callerOf(user, "") {
		t.Error("a user and a token are the same caller")
	}
}

func TestAnAddressIsThatOfOneHost(t *testing.T) {
	for _, c := range []struct {
		one, two string
		same     bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff]:1", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
	} {
		if one, two := AddressOf(c.one), AddressOf(c.two); (one == two) != c.same {
			t.Errorf("%s and %s are of %s and %s", c.one, c.two, one, two)
		}
	}
}
