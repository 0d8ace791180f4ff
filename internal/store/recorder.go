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
	// maxGroup is the number of entries that one commit takes at most; a unit with more
	// is committed alone.
	maxGroup = 512
	// maxWaiting is the number of events that wait one by one for a database that is
	// away. Beyond it only the first and the last one of each object wait, and a count.
	maxWaiting = 10_000
)

// Recorder records changes: a single goroutine commits what many callers bring. It
// has the image of every living object of its node in memory. Units are committed in
// the order in which they were handed over, so that changes of one object never
// overtake each other. Its methods may be called from several goroutines.
type Recorder struct {
	node   string
	epoch  int64
	cfg    *pgx.ConnConfig
	logger *slog.Logger
	// private is the private PostgreSQL that this records in, nil if it is another one.
	private *Postgres
	// log gets what is committed.
	log *Log

	mu sync.Mutex
	// queue are the units that wait for their commit, oldest first.
	queue []*unit
	// away is the refusal of writes while the database is away, else nil.
	away    *dat.Error
	closing bool
	// images are the recorded living objects. The recorder's goroutine alone writes
	// them, under mu, and it reads them without mu.
	images map[dat.Handle]image
	// waitingEvents are the units in the queue by object; nil means that it must be
	// computed from the queue.
	waitingEvents map[dat.Handle][]*unit
	// unconfirmed is the group whose answer to COMMIT was lost, nil if there is none.
	unconfirmed *unconfirmedGroup
	// fenced means that this process never writes again: another one has taken over
	// the node, or the recorder has ended.
	fenced bool
	// takenOver is closed when another process has taken over the node.
	takenOver chan struct{}
	// writable is since when writes are possible, or are not. attempts counts the
	// attempts to reach the database since they are not.
	writable Since
	attempts int

	// wakeup tells the goroutine that the queue has grown or closing is set.
	wakeup chan struct{}
	// stop ends the goroutine at once, done is closed when it has ended.
	stop context.CancelFunc
	done chan struct{}

	// The following belong to the recorder's goroutine.
	clock clock
	// session is nil while there is no connection.
	session *session
	// previousPID and previousGroup are what the next session must know of the one
	// before.
	previousPID   uint32
	previousGroup uuid.UUID
	// failures counts the groups since the last commit that failed with the connection.
	failures int
	retry    backoff
	// oneByOne is the number of units, from the head of the queue, to commit one by
	// one because the database refused the group that they were in.
	oneByOne int
}

// unconfirmedGroup is a group of which it is not known whether it was committed.
type unconfirmedGroup struct {
	group *group
	id    uuid.UUID
}

// startRecorder starts a recorder of a node, which owns the session. All its changes are later
// than newest, the newest recorded time. log gets the changes of each group after its
// commit.
func startRecorder(s *session, of Config, epoch int64, cfg *pgx.ConnConfig, living []image, newest time.Time, log *Log) *Recorder {
	ctx, stop := context.WithCancel(context.Background())
	r := &Recorder{
		node: of.Node, epoch: epoch, cfg: cfg, logger: of.Logger, private: of.Private, log: log, session: s, clock: clock{last: newest},
		images: make(map[dat.Handle]image, len(living)), wakeup: make(chan struct{}, 1), done: make(chan struct{}), stop: stop,
		takenOver: make(chan struct{}),
	}
	r.writable.Observe(true)
	for _, img := range living {
		r.images[img.obj.Head().ID] = img
	}
	go r.commitLoop(ctx)
	return r
}

// Record commits the entries as one unit and returns when they are committed. On an
// error nothing of them was recorded. Errors are *dat.Error: of the kinds of this
// package, what an Apply cannot do, or DAT_INTERRUPTED_CALL if ctx ended before the
// commit had begun.
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
	a := <-u.answer // its commit has begun: only the outcome can be reported
	return a.recorded, a.err
}

// Note hands over an event, which has already happened, or a refusal. It never
// blocks. An event waits until the database takes it; a refusal is dropped while the
// database is away. done, which may be nil, is called from the recorder's goroutine
// after the commit and must not block. For an event that cannot be recorded, because
// its object is gone or of a fault, it gets a Recorded without a Change, with the
// object as it was recorded last.
func (r *Recorder) Note(entry dat.Entry, done func(dat.Recorded)) {
	u := &unit{entries: []dat.Entry{entry}, done: done}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case u.isRefusal() && (r.away != nil || len(r.queue) >= maxWaiting):
	case r.away != nil && len(r.queue) >= maxWaiting && r.mergeEvent(u):
	default:
		r.queue = append(r.queue, u)
		if r.waitingEvents != nil {
			r.waitingEvents[entry.Object.ID] = append(r.waitingEvents[entry.Object.ID], u)
		}
		r.wake()
	}
}

// Away returns nil while writes are possible, else the *dat.Error that refuses them.
func (r *Recorder) Away() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away == nil {
		return nil
	}
	return r.away
}

// Waiting returns the number of events that wait for their record.
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

// close records what waits, for as long as ctx lives, and ends the recorder.
func (r *Recorder) close(ctx context.Context) error {
	r.mu.Lock()
	r.closing = true
	r.wake()
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

// enqueue puts the unit of a Record into the queue; it is refused while the database
// is away and after close.
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
	r.wake()
	return nil
}

// wake wakes the recorder's goroutine.
func (r *Recorder) wake() {
	select {
	case r.wakeup <- struct{}{}:
	default:
	}
}

// withdraw takes a unit out of the queue, and reports whether it was still there.
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

// interrupted returns the refusal of a call whose ctx ended before its commit began.
func interrupted(ctx context.Context) *dat.Error {
	return &dat.Error{
		Return: dat.RetInterruptedCall, Cause: context.Cause(ctx),
		Detail: "the call was given up before anything was changed; repeat it",
	}
}
