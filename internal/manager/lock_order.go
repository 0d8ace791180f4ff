//go:build !lockorder

package manager

import (
	"sync"

	"github.com/datapi/datapi/internal/rdma"
)

// The locks of this package by their place in the order that Manager describes.
// With the build tag lockorder they record who is held when another is taken, and
// a lock out of order, or a call of a provider or of the recorder under a lock that
// it may not be made under, is a panic.
type (
	callsMutex    = sync.Mutex
	registryMutex = sync.Mutex
	stateMutex    = sync.Mutex
	leafMutex     = sync.Mutex
)

// takesOperation notes that an operation lock is about to be taken by waiting, and
// tookOperation that it was taken; gaveOperation that it is given back.
func takesOperation(*object) {}
func tookOperation(*object)  {}
func gaveOperation(*object)  {}

// checkedProvider is the provider; under lockorder it checks who calls it.
func checkedProvider(p rdma.Provider) rdma.Provider { return p }

// checkedRecorder is the recorder; under lockorder it checks who calls it.
func checkedRecorder(r Recorder) Recorder { return r }
