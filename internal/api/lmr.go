package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// lmrCreate is what dat_lmr_create takes.
type lmrCreate struct {
	IA         string            `json:"ia" example:"soft0@alpha" doc:"The adapter's id."`
	PZ         string            `json:"pz" doc:"The protection zone of the memory."`
	MemType    dat.MemType       `json:"mem_type,omitempty" doc:"VIRTUAL where left out: new memory of the service. LMR registers a part of a region again, SHARED_VIRTUAL memory that several regions name."`
	Length     int64             `json:"length" example:"65536" doc:"In bytes, from 1 to the adapter's max_lmr_block_size and the service's own cap."`
	Privileges []dat.Privilege   `json:"privileges" doc:"What the memory may be used for."`
	LMR        dat.Handle        `json:"lmr,omitempty" doc:"The region to register again (mem_type LMR)."`
	Offset     *int64            `json:"offset,omitempty" nullable:"false" minimum:"0" doc:"Where the memory starts in that region, in bytes (mem_type LMR)."`
	SharedID   *string           `json:"shared_id,omitempty" nullable:"true" maxLength:"255" doc:"The name of the shared memory (mem_type SHARED_VIRTUAL)."`
	Name       dat.Name          `json:"name,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
}

type createLMR struct {
	Write
	Body lmrCreate
}

type listLMRs struct {
	Listing
	ByIA
	PZ      []string            `query:"pz,explode" doc:"The protection zone's id or name; repeat for OR."`
	MemType []word[dat.MemType] `query:"mem_type,explode" doc:"The memory type; repeat for OR."`
}

type readLMR struct {
	Read
	Forwarding
	ObjectPath
	Offset int64 `query:"offset" minimum:"0" doc:"Where to start, in bytes; 0 where left out."`
	Length int64 `query:"length" minimum:"1" maximum:"16777216" doc:"How many bytes; to the end of the region, at most 16 MiB, where left out."`
}

type writeLMR struct {
	Write
	ObjectPath
	Offset  int64 `query:"offset" minimum:"0" doc:"Where to start, in bytes; 0 where left out."`
	Length  int64 `query:"length" minimum:"1" maximum:"1048576" doc:"How many bytes the body has; checked where given."`
	RawBody []byte
}

func (a *API) registerLMRs() {
	lmr := reflect.TypeFor[dat.LMR]()
	register(a, route{
		id: "create-lmr", method: http.MethodPost, path: "/lmrs", tag: document.TagMemory, summary: "Create a local memory region", about: "dat_lmr_create.",
		status: http.StatusCreated, answer: lmr, versioned: true, makes: true,
	}, a.createLMR)
	register(a, route{
		id: "list-lmrs", method: http.MethodGet, path: "/lmrs", tag: document.TagMemory, summary: "List local memory regions",
		answer: reflect.TypeFor[PageOf[dat.LMR]](),
	}, a.listLMRs)
	register(a, route{
		id: "get-lmr", method: http.MethodGet, path: "/lmrs/{id}", tag: document.TagMemory, summary: "Query a local memory region", about: "dat_lmr_query.",
		answer: lmr, versioned: true,
	}, a.getLMR)
	register(a, route{
		id: "free-lmr", method: http.MethodDelete, path: "/lmrs/{id}", tag: document.TagMemory, summary: "Free a local memory region",
		about: "dat_lmr_free. In use: DAT_INVALID_STATE_LMR_IN_USE.", status: http.StatusNoContent,
	}, a.freeLMR)
	register(a, route{
		id: "read-lmr-data", method: http.MethodGet, live: whollyLive, role: access.Operator, path: "/lmrs/{id}/data", tag: document.TagMemory, summary: "Read memory",
		answer: lmr, answerType: document.MediaOctets, refusals: []int{422},
	}, a.readLMR)
	register(a, route{
		id: "write-lmr-data", method: http.MethodPut, path: "/lmrs/{id}/data", tag: document.TagMemory, summary: "Write memory",
		status: http.StatusNoContent, unrecorded: true,
	}, a.writeLMR)
}

func (b lmrCreate) input() manager.LMRCreate {
	in := manager.LMRCreate{
		IA: dat.Handle(b.IA), Name: b.Name, Labels: b.Labels, PZ: dat.Handle(b.PZ), MemType: b.MemType,
		Length: b.Length, Privileges: b.Privileges, LMR: b.LMR, SharedID: b.SharedID,
	}
	if b.Offset != nil {
		in.Offset = *b.Offset
	}
	return in
}

func (a *API) createLMR(ctx context.Context, in *createLMR) (*answer, error) {
	return create(ctx, a, in.Write, func(c manager.Call) (*dat.LMR, error) {
		return a.manager.CreateLMR(ctx, c, in.Body.input())
	})
}

func (a *API) listLMRs(ctx context.Context, in *listLMRs) (*answer, error) {
	return a.list(ctx, dat.TypeLMR, in.Listing, in)
}

func (a *API) getLMR(ctx context.Context, in *getObject) (*answer, error) {
	return a.get(ctx, dat.TypeLMR, in.ID)
}

func (a *API) freeLMR(ctx context.Context, in *freeObject) (*answer, error) {
	return a.free(ctx, in.Write, dat.TypeLMR, in.ID, a.manager.FreeLMR)
}

// maxRead is how many bytes of memory one read returns at most.
const maxRead = 16 << 20

func (a *API) readLMR(ctx context.Context, in *readLMR) (*answer, error) {
	if err := a.requireOwn(ctx, dat.TypeLMR, in.ID); err != nil {
		return nil, err
	}
	length := in.Length
	if length == 0 {
		o, err := a.object(ctx, dat.TypeLMR, in.ID)
		if err != nil {
			return nil, err
		}
		length = min(max(o.(*dat.LMR).Length-in.Offset, 0), maxRead)
	}
	if answer := requestOf(ctx).answer; answer != nil {
		if err := answer.reserve(length); err != nil {
			return nil, err
		}
	}
	data, err := a.manager.ReadLMR(ctx, dat.Handle(in.ID), in.Offset, length)
	if err != nil {
		return nil, err
	}
	return &answer{Status: http.StatusOK, ContentType: document.MediaOctets, CacheControl: noStore, Body: data}, nil
}

func (a *API) writeLMR(ctx context.Context, in *writeLMR) (*answer, error) {
	if err := a.requireOwn(ctx, dat.TypeLMR, in.ID); err != nil {
		return nil, err
	}
	if in.Length != 0 && in.Length != int64(len(in.RawBody)) {
		return nil, wrongQuery("length", "must be the number of bytes in the body, or be left out")
	}
	c, err := a.call(ctx, in.Write, nil)
	if err != nil {
		return nil, err
	}
	if err := a.manager.WriteLMR(ctx, c, dat.Handle(in.ID), in.Offset, in.RawBody); err != nil {
		return nil, err
	}
	return &answer{Status: http.StatusNoContent}, nil
}
