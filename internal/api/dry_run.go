package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

// dryRunParameter is the query parameter of every write that only asks what the call would do.
const dryRunParameter = "dry_run"

// readDryRun decides, for the whole of a request, whether it is a dry run. All spellings of true and false are taken
// (true, True, TRUE, t, 1 …); whoever reads the query after it finds true, or no such parameter.
func readDryRun(request *http.Request) *document.Problem {
	info := requestOf(request.Context())
	info.dryRun = false
	query := request.URL.Query()
	if !query.Has(dryRunParameter) {
		return nil
	}
	given, err := strconv.ParseBool(query.Get(dryRunParameter))
	if err != nil {
		return wrongQuery(dryRunParameter, "must be true or false")
	}
	info.dryRun = given
	query.Del(dryRunParameter)
	if given {
		query.Set(dryRunParameter, "true")
	}
	request.URL.RawQuery = query.Encode()
	return nil
}

// notMade is the id of an object that a dry run did not make.
var notMade = dat.Handle(uuid.Nil.String())

// rehearsed returns the answer of a dry run that shows an object as it would be, as withVersion returns it, without
// Location and ETag.
func rehearsed(status int, after dat.Object, recvIdle bool) *answer {
	body := ownMembers.appendTo(encode(wireForm(after, recvIdle)))
	return &answer{Status: status, ContentType: document.MediaJSON, CacheControl: noStore, Body: withoutDevice(body)}
}

// recordedOf returns the object of this node with the same id as it is recorded, or nil if there is none.
func (a *API) recordedOf(o dat.Object) dat.Object {
	before, ok := a.manager.Get(o.Type(), o.Head().ID)
	if !ok {
		return nil
	}
	return before
}

// withVersion returns the object with the version that it would have after a dry run, and the times. before is the
// object as it is recorded, nil for one that would be made.
func withVersion(o, before dat.Object) dat.Object {
	after, now := o.Clone(), dat.At(time.Now())
	h := after.Head()
	if before == nil {
		h.ID, h.Version, h.CreatedAt, h.UpdatedAt = notMade, 1, now, now
		return after
	}
	was := before.Head()
	h.CreatedAt, h.UpdatedAt = was.CreatedAt, was.UpdatedAt
	switch {
	case h.Version > was.Version: // the Manager says how many changes there would be
		h.UpdatedAt = now
	case sameRecord(after, before):
		h.Version = was.Version
	default:
		h.Version, h.UpdatedAt = was.Version+1, now
	}
	return after
}

// sameRecord reports whether two versions of an object are equal in all that is the caller's or the engine's to change.
func sameRecord(a, b dat.Object) bool {
	recorded := func(o dat.Object) []byte {
		o = o.Clone()
		dat.ClearLive(o)
		h := o.Head()
		h.ID, h.Version, h.CreatedAt, h.UpdatedAt = notMade, 0, dat.Time{}, dat.Time{}
		return encode(o)
	}
	return bytes.Equal(recorded(a), recorded(b))
}

// deviceMembers are the members whose value comes from the device, with what stands in them before it gave one. Other
// values of theirs were asked for.
var deviceMembers = map[string]string{"rmr_context": `""`, "target_address": `""`, "conn_qual": "0"}

// withoutDevice returns an encoded object with null for what only a device gives.
func withoutDevice(body []byte) []byte {
	var members map[string]json.RawMessage
	decode(body, &members)
	for name, unknown := range deviceMembers {
		if string(members[name]) == unknown {
			members[name] = json.RawMessage("null")
		}
	}
	return encode(members)
}

// refuseRehearsal returns the refusal that the record of a change would meet and the Manager does not know of: of names
// that objects of other nodes have, and while the database is away. objects are as they would be.
func (a *API) refuseRehearsal(ctx context.Context, objects ...dat.Object) (n int, err error) {
	if err := a.store.Recorder().Away(); err != nil {
		return 0, err
	}
	return a.store.RefuseNamesElsewhere(ctx, objects...)
}
