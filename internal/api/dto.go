package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// sendPost is what dat_ep_post_send takes.
type sendPost struct {
	Data            []byte               `json:"data,omitempty" nullable:"true" doc:"What to send. Either data or size."`
	Size            *int64               `json:"size,omitempty" nullable:"false" minimum:"0" example:"1024" doc:"How many zero bytes to send instead of data."`
	Count           *int64               `json:"count,omitempty" nullable:"false" minimum:"1" maximum:"65536" example:"1" doc:"How many sends; 1 where left out. All or nothing."`
	CompletionFlags []dat.CompletionFlag `json:"completion_flags,omitempty" doc:"Flags of this posting; DEFAULT where left out."`
	Cookie          *string              `json:"cookie,omitempty" nullable:"true" maxLength:"255" doc:"Comes back in the completion. Made where left out."`
}

// remoteMemory is the address of a peer's memory and its key.
type remoteMemory struct {
	RMRContext    string `json:"rmr_context" pattern:"^0x[0-9a-fA-F]{1,8}$" example:"0x1a2b" doc:"The peer's key."`
	TargetAddress string `json:"target_address" pattern:"^[0-9]{1,20}$" example:"4096" doc:"The address in the peer's memory."`
}

// rdmaPost is what dat_ep_post_rdma_write and dat_ep_post_rdma_read take.
type rdmaPost struct {
	LMR             string               `json:"lmr" doc:"The local memory region."`
	Offset          int64                `json:"offset,omitempty" minimum:"0" doc:"Where the data starts in it, in bytes; 0 where left out."`
	Length          int64                `json:"length" minimum:"0" example:"4096" doc:"How many bytes."`
	Remote          remoteMemory         `json:"remote" doc:"The peer's memory."`
	CompletionFlags []dat.CompletionFlag `json:"completion_flags,omitempty" doc:"Flags of this posting; DEFAULT where left out."`
	Cookie          *string              `json:"cookie,omitempty" nullable:"true" maxLength:"255" doc:"Comes back in the completion. Made where left out."`
}

// bindPost is what dat_rmr_bind takes.
type bindPost struct {
	RMR             string               `json:"rmr" doc:"The window to bind."`
	LMR             dat.Handle           `json:"lmr,omitempty" doc:"The memory to bind it to; null unbinds."`
	Offset          int64                `json:"offset,omitempty" minimum:"0" doc:"Where the window starts in it, in bytes; 0 where left out."`
	Length          int64                `json:"length,omitempty" minimum:"0" doc:"How long the window is, in bytes."`
	Privileges      []dat.Privilege      `json:"privileges,omitempty" doc:"What a peer may do through the window."`
	CompletionFlags []dat.CompletionFlag `json:"completion_flags,omitempty" doc:"Flags of this posting; DEFAULT where left out."`
	Cookie          *string              `json:"cookie,omitempty" nullable:"true" maxLength:"255" doc:"Comes back in the completion. Made where left out."`
}

type postSends struct {
	Write
	ObjectPath
	Body sendPost
}

type postRDMA struct {
	Write
	ObjectPath
	Body rdmaPost
}

type bindRMR struct {
	Write
	ObjectPath
	Body bindPost
}

func (a *API) registerDTOs() {
	posted := reflect.TypeFor[manager.Posted]()
	posting := func(id, path, summary, about string) route {
		return route{
			id: id, method: http.MethodPost, path: "/endpoints/{id}/" + path, tag: document.TagDTO, summary: summary, about: about,
			status: http.StatusAccepted, answer: posted, unrecorded: true,
		}
	}
	register(a, posting("post-endpoint-recvs", "recvs", "Post receives", "dat_ep_post_recv. Posting can itself fire a watermark."), a.postRecvs)
	register(a, posting("post-endpoint-sends", "sends", "Post sends", "dat_ep_post_send."), a.postSends)
	register(a, posting("post-endpoint-rdma-writes", "rdma-writes", "Post an RDMA write", "dat_ep_post_rdma_write."), a.postRDMAWrites)
	register(a, posting("post-endpoint-rdma-reads", "rdma-reads", "Post an RDMA read", "dat_ep_post_rdma_read."), a.postRDMAReads)
	register(a, posting("bind-endpoint-rmr", "rmr-binds", "Bind a remote memory region", "dat_rmr_bind."), a.bindRMR)
}

// post carries out a posting. It is no change of an object, so that its answer is stored for a retry after it was made
// and not in a commit.
func (a *API) post(ctx context.Context, w Write, t dat.ObjectType, id string, do func(manager.Call) (manager.Posted, error)) (*answer, error) {
	if err := a.requireOwn(ctx, t, id); err != nil {
		return nil, err
	}
	c, err := a.call(ctx, w, nil)
	if err != nil {
		return nil, err
	}
	posted, err := do(c)
	if err != nil {
		return nil, err
	}
	posted.Cookies = emptyIfNil(posted.Cookies)
	ans := a.ok(posted)
	ans.Status = http.StatusAccepted
	return ans, nil
}

func (a *API) postRecvs(ctx context.Context, in *postRecvs) (*answer, error) {
	return a.post(ctx, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (manager.Posted, error) {
		return a.manager.PostRecv(ctx, c, dat.Handle(in.ID), in.Body.input())
	})
}

func (a *API) postSends(ctx context.Context, in *postSends) (*answer, error) {
	b := in.Body
	if (b.Data == nil) == (b.Size == nil) {
		return nil, &dat.Error{Return: dat.RetInvalidParameter, Field: "data", Detail: "Give either data or size, not both and not neither."}
	}
	return a.post(ctx, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (manager.Posted, error) {
		return a.manager.PostSend(ctx, c, dat.Handle(in.ID), manager.SendPost{Data: b.Data, Size: b.Size, Count: int(valueOr(b.Count, 1)), Flags: b.CompletionFlags, Cookie: b.Cookie})
	})
}

func (a *API) postRDMAWrites(ctx context.Context, in *postRDMA) (*answer, error) {
	return a.postRDMA(ctx, in, dat.KindRDMAWrite)
}

func (a *API) postRDMAReads(ctx context.Context, in *postRDMA) (*answer, error) {
	return a.postRDMA(ctx, in, dat.KindRDMARead)
}

func (a *API) postRDMA(ctx context.Context, in *postRDMA, kind dat.DTOKind) (*answer, error) {
	b := in.Body
	return a.post(ctx, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (manager.Posted, error) {
		return a.manager.PostRDMA(ctx, c, dat.Handle(in.ID), kind, manager.RDMAPost{
			LMR: dat.Handle(b.LMR), Offset: b.Offset, Length: b.Length,
			RemoteContext: b.Remote.RMRContext, TargetAddress: b.Remote.TargetAddress, Flags: b.CompletionFlags, Cookie: b.Cookie,
		})
	})
}

func (a *API) bindRMR(ctx context.Context, in *bindRMR) (*answer, error) {
	b := in.Body
	return a.post(ctx, in.Write, dat.TypeEndpoint, in.ID, func(c manager.Call) (manager.Posted, error) {
		return a.manager.BindRMR(ctx, c, dat.Handle(in.ID), manager.BindPost{
			RMR: dat.Handle(b.RMR), LMR: b.LMR, Offset: b.Offset, Length: b.Length,
			Privileges: b.Privileges, Flags: b.CompletionFlags, Cookie: b.Cookie,
		})
	})
}
