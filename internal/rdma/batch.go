package rdma

import (
	"context"
	"errors"

	"github.com/datapi/datapi/internal/dat"
)

// Batch is several writes as one unit: each is judged and acted when it is asked
// for, all are recorded by Run, and nothing is done where one is refused. Later
// operations may name what earlier ones made.
//
// It is used by one goroutine, and ends with Run or Cancel.
type Batch struct {
	t    *tx
	done []batched
	err  error
}

// batched is an operation of a batch: its object, and the number of the unit's
// steps after it.
type batched struct {
	on   *object
	upto int
}

// BeginBatch starts a batch and takes the operation locks of the living objects
// that it will modify or free, all at once and in order, so that batches and
// single writes never wait for each other in a circle. Handles that name nothing
// here are left for the operations to refuse.
func (m *Manager) BeginBatch(ctx context.Context, targets ...dat.Handle) (*Batch, error) {
	if err := m.open(); err != nil {
		return nil, err
	}
	t := m.begin(ctx)
	var objs []*object
	for _, id := range targets {
		if o := m.objectOf(id); o != nil {
			objs = append(objs, o)
		}
	}
	if err := t.lock(objs...); err != nil {
		t.release()
		return nil, err
	}
	t.fixed = true
	return &Batch{t: t}, nil
}

// step keeps one operation's object for the results; after a refusal the batch
// can only be cancelled.
func (b *Batch) step(c Call, o *object, on dat.Handle, cause string, err error) error {
	if err != nil {
		b.err = err
		b.t.m.refused(c, on, cause, err)
		b.Cancel()
		return err
	}
	b.done = append(b.done, batched{o, len(b.t.steps)})
	return nil
}

// ErrBatchEnded is what an operation of a batch meets after Run, Cancel or a refusal.
var ErrBatchEnded = errors.New("the batch has ended")

// run is one operation of a batch.
func run[T dat.Object](b *Batch, c Call, on dat.Handle, cause string, prepare func(*tx) (*object, T, error)) (T, error) {
	var none T
	if b.t == nil {
		return none, ErrBatchEnded
	}
	c.DryRun = false
	o, img, err := prepare(b.t)
	if err == nil && any(img) != nil {
		err = b.t.nameFree(o, img)
	}
	if err := b.step(c, o, on, cause, err); err != nil {
		return none, err
	}
	return img, nil
}

// CreatePZ is Manager.CreatePZ in a batch.
func (b *Batch) CreatePZ(c Call, in PZCreate) (*dat.PZ, error) {
	return run(b, c, in.IA, "dat_pz_create", func(t *tx) (*object, *dat.PZ, error) { return t.createPZ(c, in) })
}

// CreateEVD is Manager.CreateEVD in a batch.
func (b *Batch) CreateEVD(c Call, in EVDCreate) (*dat.EVD, error) {
	return run(b, c, in.IA, "dat_evd_create", func(t *tx) (*object, *dat.EVD, error) { return t.createEVD(c, in) })
}

// CreateSRQ is Manager.CreateSRQ in a batch.
func (b *Batch) CreateSRQ(c Call, in SRQCreate) (*dat.SRQ, error) {
	return run(b, c, in.IA, "dat_srq_create", func(t *tx) (*object, *dat.SRQ, error) { return t.createSRQ(c, in) })
}

// CreateLMR is Manager.CreateLMR in a batch.
func (b *Batch) CreateLMR(c Call, in LMRCreate) (*dat.LMR, error) {
	return run(b, c, in.IA, "dat_lmr_create", func(t *tx) (*object, *dat.LMR, error) { return t.createLMR(c, in) })
}

// CreateRMR is Manager.CreateRMR in a batch.
func (b *Batch) CreateRMR(c Call, in RMRCreate) (*dat.RMR, error) {
	return run(b, c, in.IA, "dat_rmr_create", func(t *tx) (*object, *dat.RMR, error) { return t.createRMR(c, in) })
}

// CreateEP is Manager.CreateEP in a batch.
func (b *Batch) CreateEP(c Call, in EPCreate) (*dat.Endpoint, error) {
	return run(b, c, in.IA, createCause(in), func(t *tx) (*object, *dat.Endpoint, error) { return t.createEP(c, in) })
}

// CreatePSP is Manager.CreatePSP in a batch.
func (b *Batch) CreatePSP(c Call, in PSPCreate) (*dat.PSP, error) {
	return run(b, c, in.IA, pspCause(in), func(t *tx) (*object, *dat.PSP, error) { return t.createPSP(c, in) })
}

// CreateRSP is Manager.CreateRSP in a batch.
func (b *Batch) CreateRSP(c Call, in RSPCreate) (*dat.RSP, error) {
	return run(b, c, in.IA, "dat_rsp_create", func(t *tx) (*object, *dat.RSP, error) { return t.createRSP(c, in) })
}

// ModifyEVD is Manager.ModifyEVD in a batch.
func (b *Batch) ModifyEVD(c Call, id dat.Handle, in EVDModify) (*dat.EVD, error) {
	return run(b, c, id, in.cause(), func(t *tx) (*object, *dat.EVD, error) { return t.modifyEVD(c, id, in) })
}

// ModifySRQ is Manager.ModifySRQ in a batch.
func (b *Batch) ModifySRQ(c Call, id dat.Handle, in SRQModify) (*dat.SRQ, error) {
	return run(b, c, id, "dat_srq_resize", func(t *tx) (*object, *dat.SRQ, error) { return t.modifySRQ(c, id, in) })
}

// ModifyEP is Manager.ModifyEP in a batch.
func (b *Batch) ModifyEP(c Call, id dat.Handle, in EPModify) (*dat.Endpoint, error) {
	return run(b, c, id, in.cause(), func(t *tx) (*object, *dat.Endpoint, error) { return t.modifyEP(c, id, in) })
}

// SetWatermark is Manager.SetWatermark in a batch.
func (b *Batch) SetWatermark(c Call, id dat.Handle, soft, hard *int64) (*dat.Endpoint, error) {
	return run(b, c, id, "dat_ep_set_watermark", func(t *tx) (*object, *dat.Endpoint, error) {
		return t.setWatermark(c, id, soft, hard)
	})
}

// freeing are the frees that a batch knows: each carries its end out after the commit.
var freeing = map[dat.ObjectType]struct {
	cause string
	free  func(*tx, Call, dat.Handle) error
}{
	dat.TypePZ:       {"dat_pz_free", (*tx).freePZ},
	dat.TypeEVD:      {"dat_evd_free", (*tx).freeEVD},
	dat.TypeSRQ:      {"dat_srq_free", (*tx).freeSRQ},
	dat.TypeLMR:      {"dat_lmr_free", (*tx).freeLMR},
	dat.TypeRMR:      {"dat_rmr_free", (*tx).freeRMR},
	dat.TypePSP:      {"dat_psp_free", (*tx).freePSP},
	dat.TypeRSP:      {"dat_rsp_free", (*tx).freeRSP},
	dat.TypeEndpoint: {"dat_ep_free", func(t *tx, c Call, id dat.Handle) error { return t.freeEP(c, id, true) }},
}

// Free ends an unused object, or an UNCONNECTED endpoint, once the batch is committed.
func (b *Batch) Free(c Call, typ dat.ObjectType, id dat.Handle) error {
	f, ok := freeing[typ]
	if !ok {
		return errParameter(dat.SubNone, "", "A batch cannot free a "+typ.String()+"; do it by itself.")
	}
	o := b.objectOf(id)
	_, err := run(b, c, id, f.cause, func(t *tx) (*object, dat.Object, error) { return o, nil, f.free(t, c, id) })
	return err
}

func (b *Batch) objectOf(id dat.Handle) *object {
	if b.t == nil {
		return nil
	}
	if o := b.t.m.objectOf(id); o != nil {
		return o
	}
	return &object{}
}

// Run commits the batch. results[n] is the recorded object of operation n, nil
// where it freed one. On an error nothing was done.
func (b *Batch) Run(ctx context.Context) ([]dat.Object, error) {
	if b.t == nil {
		if b.err != nil {
			return nil, b.err
		}
		return nil, ErrBatchEnded
	}
	t := b.t
	b.t = nil
	defer t.release()
	t.ctx = ctx
	recs, err := t.commit()
	if err != nil {
		return nil, err
	}
	results := make([]dat.Object, len(b.done))
	from := 0
	for i, d := range b.done {
		if img := t.outcome(d.on, from, d.upto, recs); img != nil {
			results[i] = fillOne(t.m, img)
		}
		from = d.upto
	}
	return results, nil
}

// outcome is the image of an object after the steps of one operation: the last
// that they recorded, or the present one where they changed nothing.
func (t *tx) outcome(o *object, from, upto int, recs []dat.Recorded) dat.Object {
	changed := false
	var img dat.Object
	for i := from; i < upto && i < len(recs); i++ {
		if t.steps[i].obj == o {
			changed, img = true, recs[i].Object
		}
	}
	if !changed {
		return o.recorded()
	}
	return img
}

// Cancel undoes what was prepared; it does nothing after Run.
func (b *Batch) Cancel() {
	if b.t == nil {
		return
	}
	b.t.rollback()
	b.t.release()
	b.t = nil
}
