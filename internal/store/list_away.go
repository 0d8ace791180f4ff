package store

import (
	"context"
	"errors"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

const (
	// awayLook is the interval at which a read that takes long asks whether the database
	// has gone away meanwhile: a server that is frozen answers nothing and refuses
	// nothing.
	awayLook = 50 * time.Millisecond
	// memoryPatience bounds a read that can be answered from memory, where it is likely
	// that the database is away. It need not be: the server may take reads and no writes
	// (its disk is full), or have come back a moment ago.
	memoryPatience = 100 * time.Millisecond
	// refusalPatience bounds a read that is refused without the database, in the same
	// case.
	refusalPatience = time.Second
)

// readUnlessAway calls read unless it is known that the database is away; it waits for
// it no longer than patience where that is likely. away reports that the database is
// away, or went away. Other errors of read, and the end of ctx, are returned.
func (s *Store) readUnlessAway(ctx context.Context, patience time.Duration, read func(context.Context) error) (away bool, err error) {
	stale, refusing := s.log.Stale(), s.recorder.Away() != nil
	if stale && refusing {
		return true, nil
	}
	if stale || refusing || s.readsFail.Load() {
		hurried, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err = read(hurried)
	} else {
		err = s.watchedRead(ctx, read)
	}
	var refused *dat.Error
	if ctx.Err() != nil || err != nil && (!errors.As(err, &refused) || refused.Kind != KindStoreAway) {
		return false, err
	}
	s.readsFail.Store(err != nil)
	if stale || err != nil {
		s.log.wake() // let it find out
	}
	return err != nil, nil
}

// watchedRead calls read, and cancels it when the database is known to be away.
func (s *Store) watchedRead(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended, watched := make(chan struct{}), make(chan struct{})
	defer func() { close(ended); <-watched }()
	go func() {
		defer close(watched)
		look := time.NewTicker(awayLook)
		defer look.Stop()
		for {
			select {
			case <-ended:
				return
			case <-look.C:
			}
			if s.log.Stale() {
				cancel()
				return
			}
			s.log.wake() // let it find out
		}
	}()
	return read(ctx)
}

// errAway returns the refusal of a read that needs the database.
func (s *Store) errAway() error {
	if err := s.recorder.Away(); err != nil {
		return err
	}
	return storeAway(nil)
}
