package api

import (
	"encoding/json"
	"net/http"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// shown returns the answer that shows an object. It takes no lock, because the recorder calls it too: for the answer
// that is stored with the change.
func (a *API) shown(status int, o dat.Object, dryRun, recvIdle bool) *answer {
	body := encode(wireForm(o, recvIdle))
	if dryRun {
		return &answer{Status: status, ContentType: document.MediaJSON, CacheControl: noStore, Body: withoutRecorded(body)}
	}
	head, kind := o.Head(), objectKinds[o.Type()]
	ans := &answer{Status: status, ContentType: document.MediaJSON, ETag: etag(head.Version), CacheControl: revalidate, Body: body}
	if kind.changesUnversioned {
		ans.CacheControl = noStore
	}
	if status == http.StatusCreated {
		ans.Location = basePath + kind.path + "/" + string(head.ID)
	}
	return ans
}

// wireForm returns what of an object is encoded: an endpoint has members beside those of dat.
func wireForm(o dat.Object, recvIdle bool) any {
	if e, ok := o.(*dat.Endpoint); ok {
		return Endpoint{Endpoint: e, Operations: emptyIfNil(dat.Operations(e)), Modifiable: emptyIfNil(dat.Modifiable(e, recvIdle))}
	}
	return o
}

// recordedMembers are the members that an object gets when it is recorded.
var recordedMembers = []string{"id", "version", "created_at", "updated_at"}

// deviceMembers are the members whose value comes from the device, with the value that they have in a dry run.
var deviceMembers = map[string]string{"rmr_context": `""`, "target_address": `""`, "conn_qual": "0"}

// withoutRecorded returns an encoded object without the members that only a real call fills.
func withoutRecorded(body []byte) []byte {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return body
	}
	for _, name := range recordedMembers {
		delete(members, name)
	}
	for name, unknown := range deviceMembers {
		if string(members[name]) == unknown {
			delete(members, name)
		}
	}
	return encode(members)
}
