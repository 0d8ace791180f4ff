//go:build !lockorder

package manager

import (
	"sync"

	"github.com/datapi/datapi/internal/rdma"
)

// The kinds of locks, in the order that Manager describes. With the build tag
// lockorder they note which goroutine holds what. A lock that is taken out of order,
// and a call of a provider or the recorder under a lock that it may not be made under,
// is a panic then.
type (
	callsMutex    = sync.Mutex
	registryMutex = sync.Mutex
	stateMutex    = sync.Mutex
	leafMutex     = sync.Mutex
)

// takesOperation is called before an operation lock is waited for, tookOperation after
// it was taken, and gaveOperation before it is given back.
func takesOperation(*object) {}
func tookOperation(*object)  {}
func gaveOperation(*object)  {}

// checkedProvider returns the provider. With lockorder the one returned checks the locks
// of its callers.
func checkedProvider(p rdma.Provider) rdma.Provider { return p }

// checkedRecorder returns the recorder. With lockorder the one returned checks the locks
// of its callers.
func checkedRecorder(r Recorder) Recorder { return r }
