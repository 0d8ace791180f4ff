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
	// awayPatience bounds a read while writes are refused. The server may still take
	// reads (its disk is full, or it was demoted), and then it answers sooner.
	awayPatience = 100 * time.Millisecond
)

// readUnlessAway calls read unless it is known that the database is away. away
// reports that it is, or that it went away: the caller answers from memory then. Other
// errors of read, and the end of ctx, are returned.
func (s *Store) readUnlessAway(ctx context.Context, read func(context.Context) error) (away bool, err error) {
	if s.log.Stale() {
		return true, nil
	}
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.recorder.Away() != nil {
		reading, cancel = context.WithTimeout(ctx, awayPatience)
		defer cancel()
	}
	err = s.watchedRead(reading, cancel, read)
	var refused *dat.Error
	if err == nil || ctx.Err() != nil || !errors.As(err, &refused) || refused.Kind != KindStoreAway {
		return false, err
	}
	s.log.wake()
	return true, nil
}

// watchedRead calls read, and cancels it when the database is known to be away.
func (s *Store) watchedRead(ctx context.Context, cancel func(), read func(context.Context) error) error {
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
	return &dat.Error{Return: dat.RetInternalError, Kind: KindStoreAway, Detail: awayDetail}
}
