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
		if l.allow(caller, now) {
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

// What is owed is paid before the next request, and no size is refused for ever.
func TestWhatCountsAsManyIsTakenAndPaidForAfterwards(t *testing.T) {
	l, now := newRateLimiter(10), time.Now()
	if l.allowed("a", 19, now) != 19 || l.allowed("a", 1, now) != 1 {
		t.Fatal("20 of 20 at once are not taken")
	}
	later := now.Add(100 * time.Millisecond) // one more
	if l.allowed("a", 1, later) != 1 {
		t.Error("a caller that owes nothing is refused")
	}
	l.charge("a", 99, later)
	wait := l.take("a", later)
	if wait < 9900*time.Millisecond || wait > 10*time.Second {
		t.Errorf("a caller that owes 99 is told to wait %v", wait)
	}
	if left, _ := l.remaining("a", later); left != 0 {
		t.Errorf("%d requests are left of a caller that owes some", left)
	}
	if l.allowed("a", 1, later.Add(wait-time.Millisecond)) != 0 || l.allowed("a", 2, later.Add(wait)) != 1 {
		t.Error("what was owed is paid too early or too late")
	}
}

func TestIdleCallersAreDroppedAndTheirNumberIsBounded(t *testing.T) {
	l, now := newRateLimiter(1), time.Now()
	for i := range 2 * maxCallers {
		l.allowed(strconv.Itoa(i), 2, now)
	}
	if len(l.callers) != maxCallers {
		t.Errorf("%d callers are known, not %d", len(l.callers), maxCallers)
	}
	if l.allowed("one more", 1, now) > 0 {
		t.Error("callers without room do not share their limit")
	}
	if got := l.allowed("0", 2, now.Add(time.Second)); got != 1 {
		t.Errorf("a caller that is not idle was dropped: %d of 2", got)
	}
	later := now.Add(dropEvery)
	if l.allowed("one more", 1, later) == 0 || len(l.callers) != 1 {
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
		at := func(remote string) string {
			return callerOf(&requestInfo{principal: c.principal, address: AddressOf(remote)})
		}
		if got := at(c.one) == at(c.two); got != c.same {
			t.Errorf("%s at %s and %s: the same caller is %v", c.principal.Name, c.one, c.two, got)
		}
	}
	token := access.Principal{Kind: access.KindToken, ID: "1", Name: "one"}
	if user := (access.Principal{Kind: access.KindUser, ID: "1", Name: "one"}); callerOf(&requestInfo{principal: token}) == callerOf(&requestInfo{principal: user}) {
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
