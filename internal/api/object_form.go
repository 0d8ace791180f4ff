package api

import (
	"net/http"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// shown returns the answer that shows an object. It takes no lock, because the recorder calls it too: for the answer
// that is stored with the change.
func (a *API) shown(status int, o dat.Object, dryRun, recvIdle bool) *answer {
	if dryRun {
		return rehearsed(status, withVersion(o, a.recordedOf(o)), recvIdle)
	}
	body := a.encoded(o, recvIdle)
	head, kind := o.Head(), objectKinds[o.Type()]
	ans := &answer{Status: status, ContentType: document.MediaJSON, ETag: etag(head.Version), CacheControl: revalidate, Body: body}
	if kind.changesUnversioned || kind.hasSecrets {
		ans.CacheControl = noStore
	}
	if status == http.StatusCreated {
		ans.Location = basePath + kind.path + "/" + string(head.ID)
	}
	return ans
}

// encoded returns an object as one that is answered with. For this node's objects it takes no lock.
func (a *API) encoded(o dat.Object, recvIdle bool) []byte {
	node := o.Head().Node
	m := a.membersOf(node)
	if node == a.node {
		return m.appendTo(encode(wireForm(o, recvIdle)))
	}
	return m.appendTo(encode(foreignForm(o, m)))
}

// wireForm returns what of an object is encoded: an endpoint has members beside those of dat, and a key may be null.
func wireForm(o dat.Object, recvIdle bool) any {
	switch o := o.(type) {
	case *dat.Endpoint:
		return Endpoint{Endpoint: o, Operations: emptyIfNil(dat.Operations(o)), Modifiable: emptyIfNil(dat.Modifiable(o, recvIdle))}
	case *dat.LMR:
		return lmrForm{LMR: o, RMRContext: nullIfEmpty(o.RMRContext)}
	}
	return o
}
