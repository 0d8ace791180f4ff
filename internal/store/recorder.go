package store

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

const (
	// maxGroup is how many entries one commit takes; a larger unit goes alone.
	maxGroup = 512
	// maxWaiting is how many events wait one by one for a database that is away;
	// beyond it the first and the last of each object and a count are kept.
	maxWaiting = 10_000
)

// Recorder commits changes: one goroutine per process, many changes per commit.
//
// It keeps the recorded image of every living object of its node. Units are
// committed in the order in which they were handed over, so no two changes of
// one object pass each other.
type Recorder struct {
	node    string
	epoch   int64
	cfg     *pgx.ConnConfig
	logger  *slog.Logger
	publish func([]dat.Change)

	mu      sync.Mutex
	queue   []*unit
	away    *dat.Error
	closing bool
	// images are written under mu by the recorder's goroutine, which alone reads
	// them without.
	images map[dat.Handle]image
	// events are the waiting events by object; nil when it is to be made anew.
	events map[dat.Handle][]*unit
	// lost is the group whose answer to COMMIT was lost, nil but for that.
	lost *lostGroup
	// fenced: this process will never write again.
	fenced bool

	bell chan struct{}
	stop context.CancelFunc
	done chan struct{}

	// What follows belongs to the recorder's goroutine.
	clock    clock
	session  *session
	former   uint32
	settled  uuid.UUID
	failures int
	wait     backoff
	// solo is the number of units, from the head of the queue, to commit one by
	// one because the database refused one of them.
	solo int
}

// lostGroup is a group of which nobody knows yet whether it was committed.
type lostGroup struct {
	g  *group
	id uuid.UUID
}

// start makes a recorder that owns the session, and runs it. Its changes are all
// later than newest, the newest time that is recorded.
func start(s *session, node string, epoch int64, cfg *pgx.ConnConfig, living []image, newest time.Time, logger *slog.Logger, publish func([]dat.Change)) *Recorder {
	ctx, stop := context.WithCancel(context.Background())
	r := &Recorder{
		node: node, epoch: epoch, cfg: cfg, logger: logger, publish: publish, session: s, clock: clock{last: newest},
		images: make(map[dat.Handle]image, len(living)), bell: make(chan struct{}, 1), done: make(chan struct{}), stop: stop,
	}
	for _, img := range living {
		r.images[img.obj.Head().ID] = img
	}
	go r.run(ctx)
	return r
}

// Record commits the entries as one unit and waits; on an error nothing of it was
// recorded. Errors: *dat.Error of the kinds above, or DAT_INTERRUPTED_CALL where
// ctx ended before the unit was on its way.
func (r *Recorder) Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	u := &unit{entries: entries, ctx: ctx, answer: make(chan answer, 1)}
	if err := r.enqueue(u); err != nil {
		return nil, err
	}
	select {
	case a := <-u.answer:
		return a.recorded, a.err
	case <-ctx.Done():
	}
	if r.withdraw(u) {
		return nil, interrupted(ctx)
	}
	a := <-u.answer // it is on its way: only its outcome can be told
	return a.recorded, a.err
}

// Note hands over what already happened (or a refusal, which is dropped while the
// database is away). It never blocks; done, which may be nil, is called from the
// recorder's goroutine after the commit and must not block. An event that
// cannot be recorded at all (its object is gone, or a fault) ends with a
// Recorded that has no Change, and the object as it was recorded last.
func (r *Recorder) Note(entry dat.Entry, done func(dat.Recorded)) {
	u := &unit{entries: []dat.Entry{entry}, done: done}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case u.isRefusal() && (r.away != nil || len(r.queue) >= maxWaiting):
	case r.away != nil && len(r.queue) >= maxWaiting && r.squash(u):
	default:
		r.queue = append(r.queue, u)
		if r.events != nil {
			r.events[entry.Object.ID] = append(r.events[entry.Object.ID], u)
		}
		r.ring()
	}
}

// Away is nil while writes are taken, else the *dat.Error that they get.
func (r *Recorder) Away() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away == nil {
		return nil
	}
	return r.away
}

// Waiting is the number of events that wait for their record.
func (r *Recorder) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, u := range r.queue {
		if u.isNote() && !u.isRefusal() {
			n++
		}
	}
	return n
}

// close records what waits, as long as ctx lives, and ends the recorder.
func (r *Recorder) close(ctx context.Context) error {
	r.mu.Lock()
	r.closing = true
	r.ring()
	r.mu.Unlock()
	select {
	case <-r.done:
	case <-ctx.Done():
		r.stop()
		<-r.done
	}
	r.stop()
	if n := r.Waiting(); n > 0 {
		r.logger.Error("events were not recorded: the database was away until the end", "events", n)
	}
	return nil
}

func (r *Recorder) enqueue(u *unit) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away != nil {
		return r.away
	}
	if r.closing {
		return &dat.Error{Return: dat.RetInterruptedCall, Detail: "the service is stopping; repeat the call when it is back"}
	}
	r.queue = append(r.queue, u)
	r.ring()
	return nil
}

// ring wakes the recorder's goroutine.
func (r *Recorder) ring() {
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// withdraw takes a unit out of the queue; false where it is on its way.
func (r *Recorder) withdraw(u *unit) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, q := range r.queue {
		if q == u {
			r.queue = append(r.queue[:i:i], r.queue[i+1:]...)
			return true
		}
	}
	return false
}

func interrupted(ctx context.Context) *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall, Cause: context.Cause(ctx),
		Detail: "the call was given up before anything was changed; repeat it",
	}
}
