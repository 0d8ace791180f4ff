package api

import (
	"encoding/json"
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// cachedListForm returns an object as lists show it without modifiable. The form of an endpoint whose node is UP depends
// on its version alone, so it is encoded once.
func (a *API) cachedListForm(o dat.Object) json.RawMessage {
	head := o.Head()
	if o.Type() != dat.TypeEndpoint || a.membersOf(head.Node).NodeState != store.NodeUp {
		return a.listForm(o, false)
	}
	if body := a.forms.get(head.ID, head.Version); body != nil {
		return body
	}
	body := a.listForm(o, false)
	a.forms.put(head.ID, head.Version, body)
	return body
}

// maxListForms bounds the memory of the cache: a form takes about 1.5 kB.
const maxListForms = 20_000

// listForms caches the encoded list forms of endpoints. Its zero value is empty and ready.
type listForms struct {
	mu   sync.RWMutex
	byID map[dat.Handle]versionedForm
}

type versionedForm struct {
	version int64
	body    json.RawMessage
}

// get returns the form of a version, or nil if it is not cached.
func (c *listForms) get(id dat.Handle, version int64) json.RawMessage {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if form, ok := c.byID[id]; ok && form.version == version {
		return form.body
	}
	return nil
}

// put caches the form of a version; where the cache is full it is emptied first.
func (c *listForms) put(id dat.Handle, version int64, body json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil || len(c.byID) >= maxListForms {
		c.byID = map[dat.Handle]versionedForm{}
	}
	c.byID[id] = versionedForm{version, body}
}
