package manager

import (
	"fmt"

	"github.com/datapi/datapi/internal/dat"
)

const (
	// eventMemoryCap is how many bytes the data of all queued software events may have together. Consumers choose their
	// size, and may never dequeue them; a queue bounds their number only.
	eventMemoryCap = 64 << 20
	// maxTaken is how many bytes of such data one dequeue returns; at least one event is returned.
	maxTaken = 8 << 20
)

// claimEventMemory counts the bytes of a software event that is about to be queued. The error is DAT_QUEUE_FULL: events
// that are dequeued make room, as for the queue itself.
func (m *Manager) claimEventMemory(size int64) *dat.Error {
	if m.eventMemory.Add(size) <= eventMemoryCap {
		return nil
	}
	left := eventMemoryCap - m.eventMemory.Add(-size)
	return &dat.Error{
		Return: dat.RetQueueFull, Field: "data",
		Detail: fmt.Sprintf("The event has %d bytes and %d are left of the %d that this service gives to software events in queues; dequeue events, or post less.",
			size, max(left, 0), eventMemoryCap),
	}
}

// headLocked returns how many events a consumer may take at once: up to max, with data of up to maxTaken bytes. The
// queue's lock is held.
func (q *queue) headLocked(max int) int {
	n, size := min(max, len(q.events)), 0
	for i := range n {
		size += len(q.events[i].ev.Data.Software)
		if size > maxTaken && i > 0 {
			return i
		}
	}
	return n
}
