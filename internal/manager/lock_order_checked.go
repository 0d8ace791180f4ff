//go:build lockorder

package manager

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/datapi/datapi/internal/dat"
)

// lockPlace is the place of a kind of lock in the order. Operation locks among each
// other have the order of their objects' ids.
type lockPlace int

const (
	operationPlace lockPlace = iota + 1
	callsPlace
	registryPlace
	statePlace
	leafPlace
)

type (
	callsMutex    struct{ checkedMutex[callsAt] }
	registryMutex struct{ checkedMutex[registryAt] }
	stateMutex    struct{ checkedMutex[stateAt] }
	leafMutex     struct{ checkedMutex[leafAt] }
)

type (
	callsAt    struct{}
	registryAt struct{}
	stateAt    struct{}
	leafAt     struct{}
)

func (callsAt) place() lockPlace    { return callsPlace }
func (registryAt) place() lockPlace { return registryPlace }
func (stateAt) place() lockPlace    { return statePlace }
func (leafAt) place() lockPlace     { return leafPlace }

// checkedMutex is a mutex that knows its place.
type checkedMutex[P interface{ place() lockPlace }] struct{ mu sync.Mutex }

// Lock implements sync.Locker.
func (m *checkedMutex[P]) Lock() {
	var at P
	mayTake(at.place(), "")
	m.mu.Lock()
	holders.add(held{place: at.place(), lock: m})
}

// Unlock implements sync.Locker.
func (m *checkedMutex[P]) Unlock() {
	holders.drop(m)
	m.mu.Unlock()
}

// held is a lock that a goroutine holds; id is that of the object if it is an operation
// lock.
type held struct {
	place lockPlace
	lock  any
	id    dat.Handle
}

// locks are the locks by the goroutines that hold them.
type locks struct {
	mu sync.Mutex
	by map[uint64][]held
}

var holders = locks{by: map[uint64][]held{}}

func (l *locks) add(h held) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := goroutine()
	l.by[g] = append(l.by[g], h)
}

// drop removes a lock from its holder. That may be another goroutine, as a batch may be
// begun by one and ended by another.
func (l *locks) drop(lock any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for g, all := range l.by {
		for i, h := range all {
			if h.lock == lock {
				if l.by[g] = append(all[:i:i], all[i+1:]...); len(l.by[g]) == 0 {
					delete(l.by, g)
				}
				return
			}
		}
	}
}

// mine returns the locks of the running goroutine.
func (l *locks) mine() []held {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]held(nil), l.by[goroutine()]...)
}

// mayTake panics if this goroutine may not wait for a lock at a place.
func mayTake(p lockPlace, id dat.Handle) {
	for _, h := range holders.mine() {
		if h.place > p || h.place == p && (p != operationPlace || h.id >= id) {
			panic(fmt.Sprintf("lock order: %d (%s) is taken while %d (%s) is held", p, id, h.place, h.id))
		}
	}
}

// mayCall panics if this goroutine holds a lock that comes after a place.
func mayCall(what string, most lockPlace) {
	for _, h := range holders.mine() {
		if h.place > most {
			panic(fmt.Sprintf("lock order: %s is called while %d is held", what, h.place))
		}
	}
}

func takesOperation(o *object) { mayTake(operationPlace, o.id) }
func tookOperation(o *object)  { holders.add(held{place: operationPlace, lock: o, id: o.id}) }
func gaveOperation(o *object)  { holders.drop(o) }

// goroutine returns the number of the running goroutine.
func goroutine() uint64 {
	var buf [64]byte
	fields := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	n, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}
