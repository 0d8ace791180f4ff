package store

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/faultpoint"
)

const (
	// maxGroup is the number of entries that one commit takes at most; a unit with more
	// is committed alone.
	maxGroup = 512
	// answerTimeout bounds a call of Record, so that the request behind it is answered
	// within 10 s. It also is how long a COMMIT may take before writes are refused and
	// its outcome is found out over another connection.
	answerTimeout = 9 * time.Second
	// closeTimeout bounds the wait for what is still to be recorded at an end, so that
	// the service stops within 30 s.
	closeTimeout = 8 * time.Second
	// maxWaiting is the number of events that wait one by one for a database that is
	// away. Beyond it only the first and the last one of each object wait, and a count.
	maxWaiting = 10_000
)

// Recorder records changes: a single goroutine commits what many callers bring. It
// has the image of every living object of its node in memory. Units are committed in
// the order in which they were handed over, so that changes of one object never
// overtake each other. Its methods may be called from several goroutines.
type Recorder struct {
	node  string
	epoch int64
	// servers are those of the database's URL.
	servers *servers
	logger  *slog.Logger
	// private is the private PostgreSQL that this records in, nil if it is another one.
	private *Postgres
	// log gets what is committed.
	log *Log
	// reclaim is reclaimNode for this process.
	reclaim func(ctx context.Context, conn *pgx.Conn) error
	// answerTimeout is the constant of this name, but for tests.
	answerTimeout time.Duration
	// forgetReads closes the connections over which others read.
	forgetReads func()

	mu sync.Mutex
	// queue are the units that wait for their commit, oldest first.
	queue []*unit
	// away is the refusal of writes while the database is away, else nil.
	away    *dat.Error
	closing bool
	// images are the recorded living objects. The recorder's goroutine alone writes
	// them, under mu, and it reads them without mu.
	images map[dat.Handle]image
	// formerIAs are the last versions of the IAs of a node of the same name that was
	// retired. Nobody writes them.
	formerIAs map[dat.Handle]int64
	// waitingEvents are the units in the queue by object; nil means that it must be
	// computed from the queue.
	waitingEvents map[dat.Handle][]*unit
	// unconfirmed is the group whose answer to COMMIT was lost, nil if there is none.
	unconfirmed *unconfirmedGroup
	// abandoned are the units whose callers were told that the outcome is unknown.
	abandoned []*unit
	// suspicious means that the database may not be the one that it was: the session is
	// made anew, which finds out.
	suspicious bool
	// reconciled is told of the objects that are recorded again; see OnReconciled.
	reconciled func(dat.Recorded)
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
	// session is nil while there is no connection, former is the one before it.
	session *session
	former  formerSession
	// acknowledged is the last change that this process has committed.
	acknowledged mark
	// reconcileDue means that the recorded objects must be compared with the images.
	reconcileDue bool
	// patience is how long the next barrier may take; it grows while standbys lag.
	patience time.Duration
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

// start starts the recorder, whose members up to the log, and session, epoch, clock
// and images are set. log gets the changes of each group after its commit.
func (r *Recorder) start() {
	var ctx context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	r.wakeup, r.done, r.takenOver = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	r.writable.Observe(true)
	go r.commitLoop(ctx)
}

// OnReconciled sets the function that is told of the objects that the recorder records
// again by itself, because the database went back behind what was acknowledged. It is
// called like Published of an entry. It is set before the first call of Record.
func (r *Recorder) OnReconciled(f func(dat.Recorded)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reconciled = f
}

// Record commits the entries as one unit and returns when they are committed, within
// 10 s. On an error nothing of them was recorded, except for one of KindOutcomeUnknown:
// its Cause *dat.OutcomeUnknown tells later what became of them. Errors are *dat.Error:
// of the kinds of this package, what an Apply cannot do, or DAT_INTERRUPTED_CALL if ctx
// ended before the commit had begun.
func (r *Recorder) Record(ctx context.Context, entries ...dat.Entry) ([]dat.Recorded, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	if err := faultpoint.Hit("store.record"); err != nil {
		return nil, storeAway(err)
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.answerTimeout)
	defer cancel()
	u := &unit{entries: entries, ctx: ctx, answer: make(chan dat.Outcome, 1)}
	if err := r.enqueue(u); err != nil {
		return nil, err
	}
	var refusal error
	select {
	case a := <-u.answer:
		return a.Recorded, a.Err
	case <-ctx.Done():
		refusal = interrupted(ctx)
	case <-bounded.Done():
		refusal = storeAway(bounded.Err())
	}
	if r.withdraw(u) {
		return nil, refusal
	}
	select { // its commit may have begun: only the outcome can be reported
	case a := <-u.answer:
		return a.Recorded, a.Err
	case <-bounded.Done():
		return r.abandonUnit(u)
	}
}

// abandonUnit returns the answer to a unit whose commit takes too long: unless it has
// just come, that the outcome is unknown.
func (r *Recorder) abandonUnit(u *unit) ([]dat.Recorded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case a := <-u.answer:
		return a.Recorded, a.Err
	default:
	}
	u.abandoned = true
	r.abandoned = append(slices.DeleteFunc(r.abandoned, func(u *unit) bool { return u.answered.Load() }), u)
	return nil, &dat.Error{
		Return: dat.RetInternalError, Kind: KindOutcomeUnknown, Detail: unknownDetail,
		Cause: &dat.OutcomeUnknown{Known: u.answer},
	}
}

// isKeyUndecided reports whether a change with an Idempotency-Key was begun whose
// outcome is not known yet.
func (r *Recorder) isKeyUndecided(k AnswerKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.abandoned, func(u *unit) bool {
		return !u.answered.Load() && slices.ContainsFunc(u.entries, func(e dat.Entry) bool {
			return e.Answer != nil && AnswerKey{e.Answer.Principal, e.Answer.Method, e.Answer.Path, e.Answer.Key} == k
		})
	})
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
	_, away := r.awaySince()
	return away
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

// close records what waits, for as long as ctx lives and up to closeTimeout, and ends
// the recorder.
func (r *Recorder) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
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
