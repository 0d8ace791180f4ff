package manager

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
	t    *unit
	done []batchedOp
	err  error
	// rehearsal says that the batch will be cancelled, so that its refusals are not
	// recorded.
	rehearsal bool
	// keep is what the commit stores for a retry, nil for nothing.
	keep *BatchAnswer
}

// BatchAnswer is the answer that is stored in the commit of a batch, for retries with
// the same Idempotency-Key.
type BatchAnswer struct {
	// Kept says under which key it is stored; its own Answer is not used.
	dat.Kept
	// Results makes the stored answer from the results of the batch as they are
	// recorded, without their live members. It runs on the recorder's goroutine, may
	// be called again, and takes no lock.
	Results func(results []dat.Object) (status int, header map[string]string, body []byte)
}

// Rehearse says that the batch is a dry run, which ends with Cancel: its refusals are
// not recorded.
func (b *Batch) Rehearse() { b.rehearsal = true }

// KeepAnswer says which answer the commit stores. A batch that changes nothing has no
// commit, and stores nothing.
func (b *Batch) KeepAnswer(k *BatchAnswer) { b.keep = k }

// batched is an operation of a batch: its object, and the number of the unit's
// steps after it.
type batchedOp struct {
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
	u := m.begin(ctx)
	var objs []*object
	for _, id := range targets {
		if o := m.objectOf(id); o != nil {
			objs = append(objs, o)
		}
	}
	if err := u.lock(objs...); err != nil {
		u.release()
		return nil, err
	}
	u.fixed = true
	return &Batch{t: u}, nil
}

// step keeps one operation's object for the results; after a refusal the batch
// can only be cancelled.
func (b *Batch) step(c Call, o *object, on dat.Handle, cause string, err error) error {
	if err != nil {
		b.err = err
		if !b.rehearsal {
			b.t.m.refused(c, on, cause, err)
		}
		b.Cancel()
		return err
	}
	b.done = append(b.done, batchedOp{o, len(b.t.steps)})
	return nil
}

// ErrBatchEnded is what an operation of a batch meets after Run, Cancel or a refusal.
var ErrBatchEnded = errors.New("the batch has ended")

// run is one operation of a batch.
func run[T dat.Object](b *Batch, c Call, on dat.Handle, cause string, prepare func(*unit) (*object, T, error)) (T, error) {
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
	return run(b, c, in.IA, "dat_pz_create", func(u *unit) (*object, *dat.PZ, error) { return u.createPZ(c, in) })
}

// CreateEVD is Manager.CreateEVD in a batch.
func (b *Batch) CreateEVD(c Call, in EVDCreate) (*dat.EVD, error) {
	return run(b, c, in.IA, "dat_evd_create", func(u *unit) (*object, *dat.EVD, error) { return u.createEVD(c, in) })
}

// CreateSRQ is Manager.CreateSRQ in a batch.
func (b *Batch) CreateSRQ(c Call, in SRQCreate) (*dat.SRQ, error) {
	return run(b, c, in.IA, "dat_srq_create", func(u *unit) (*object, *dat.SRQ, error) { return u.createSRQ(c, in) })
}

// CreateLMR is Manager.CreateLMR in a batch.
func (b *Batch) CreateLMR(c Call, in LMRCreate) (*dat.LMR, error) {
	return run(b, c, in.IA, "dat_lmr_create", func(u *unit) (*object, *dat.LMR, error) { return u.createLMR(c, in) })
}

// CreateRMR is Manager.CreateRMR in a batch.
func (b *Batch) CreateRMR(c Call, in RMRCreate) (*dat.RMR, error) {
	return run(b, c, in.IA, "dat_rmr_create", func(u *unit) (*object, *dat.RMR, error) { return u.createRMR(c, in) })
}

// CreateEP is Manager.CreateEP in a batch.
func (b *Batch) CreateEP(c Call, in EPCreate) (*dat.Endpoint, error) {
	return run(b, c, in.IA, createCause(in), func(u *unit) (*object, *dat.Endpoint, error) { return u.createEP(c, in) })
}

// CreatePSP is Manager.CreatePSP in a batch.
func (b *Batch) CreatePSP(c Call, in PSPCreate) (*dat.PSP, error) {
	return run(b, c, in.IA, pspCause(in), func(u *unit) (*object, *dat.PSP, error) { return u.createPSP(c, in) })
}

// CreateRSP is Manager.CreateRSP in a batch.
func (b *Batch) CreateRSP(c Call, in RSPCreate) (*dat.RSP, error) {
	return run(b, c, in.IA, "dat_rsp_create", func(u *unit) (*object, *dat.RSP, error) { return u.createRSP(c, in) })
}

// ModifyEVD is Manager.ModifyEVD in a batch.
func (b *Batch) ModifyEVD(c Call, id dat.Handle, in EVDModify) (*dat.EVD, error) {
	return run(b, c, id, in.cause(), func(u *unit) (*object, *dat.EVD, error) { return u.modifyEVD(c, id, in) })
}

// ModifySRQ is Manager.ModifySRQ in a batch.
func (b *Batch) ModifySRQ(c Call, id dat.Handle, in SRQModify) (*dat.SRQ, error) {
	return run(b, c, id, "dat_srq_resize", func(u *unit) (*object, *dat.SRQ, error) { return u.modifySRQ(c, id, in) })
}

// ModifyEP is Manager.ModifyEP in a batch.
func (b *Batch) ModifyEP(c Call, id dat.Handle, in EPModify) (*dat.Endpoint, error) {
	return run(b, c, id, in.cause(), func(u *unit) (*object, *dat.Endpoint, error) { return u.modifyEP(c, id, in) })
}

// SetWatermark is Manager.SetWatermark in a batch.
func (b *Batch) SetWatermark(c Call, id dat.Handle, soft, hard *int64) (*dat.Endpoint, error) {
	return run(b, c, id, "dat_ep_set_watermark", func(u *unit) (*object, *dat.Endpoint, error) {
		return u.setWatermark(c, id, soft, hard)
	})
}

// freeing are the frees that a batch knows: each carries its end out after the commit.
var batchFrees = map[dat.ObjectType]struct {
	cause string
	free  func(*unit, Call, dat.Handle) error
}{
	dat.TypePZ:       {"dat_pz_free", (*unit).freePZ},
	dat.TypeEVD:      {"dat_evd_free", (*unit).freeEVD},
	dat.TypeSRQ:      {"dat_srq_free", (*unit).freeSRQ},
	dat.TypeLMR:      {"dat_lmr_free", (*unit).freeLMR},
	dat.TypeRMR:      {"dat_rmr_free", (*unit).freeRMR},
	dat.TypePSP:      {"dat_psp_free", (*unit).freePSP},
	dat.TypeRSP:      {"dat_rsp_free", (*unit).freeRSP},
	dat.TypeEndpoint: {"dat_ep_free", func(u *unit, c Call, id dat.Handle) error { return u.freeEP(c, id, true) }},
}

// Free ends an unused object, or an UNCONNECTED endpoint, once the batch is committed.
func (b *Batch) Free(c Call, typ dat.ObjectType, id dat.Handle) error {
	f, ok := batchFrees[typ]
	if !ok {
		return errParameter(dat.SubNone, "", "A batch cannot free a "+typ.String()+"; do it by itself.")
	}
	o := b.objectOf(id)
	_, err := run(b, c, id, f.cause, func(u *unit) (*object, dat.Object, error) { return o, nil, f.free(u, c, id) })
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
	u := b.t
	b.t = nil
	defer u.release()
	u.ctx = ctx
	b.storeWith(u)
	recs, err := u.commit()
	if err != nil {
		return nil, err
	}
	recorded := make([]dat.Object, len(recs))
	for i := range recs {
		recorded[i] = recs[i].Object
	}
	results := b.results(u, recorded)
	for i, img := range results {
		if img != nil {
			results[i] = fillOne(u.m, img)
		}
	}
	return results, nil
}

// storeWith lets the entries of the unit collect what is recorded of them; with the
// last one the batch's answer is made and stored.
func (b *Batch) storeWith(u *unit) {
	if b.keep == nil {
		return
	}
	recorded := make([]dat.Object, len(u.steps))
	for i := range u.steps {
		k := b.keep.Kept
		k.Answer = func(o dat.Object) (int, map[string]string, []byte) {
			recorded[i] = o
			if i < len(recorded)-1 {
				return 0, nil, nil
			}
			return b.keep.Results(b.results(u, recorded))
		}
		u.steps[i].entry.Keep = &k
	}
}

// results are the objects after each operation, nil where it freed one. recorded are
// those after the unit's steps.
func (b *Batch) results(u *unit, recorded []dat.Object) []dat.Object {
	all := make([]dat.Object, len(b.done))
	latest := map[*object]dat.Object{}
	from := 0
	for n, d := range b.done {
		for i := from; i < d.upto && i < len(recorded); i++ {
			latest[u.steps[i].obj] = recorded[i]
		}
		from = d.upto
		img, changed := latest[d.on]
		if !changed {
			img = d.on.recorded()
		}
		all[n] = img
	}
	return all
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
