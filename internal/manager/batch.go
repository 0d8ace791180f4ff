package manager

import (
	"context"
	"errors"

	"github.com/datapi/datapi/internal/dat"
)

// Batch is several writes as one unit. Each operation is judged and acted on when it
// is called; Run records all of them. If one is refused, nothing is done. Later
// operations may refer to what earlier ones created.
//
// A batch is used by one goroutine and ends with Run or Cancel.
type Batch struct {
	u    *unit // nil once the batch has ended
	done []batchedOp
	err  error // the refusal that ended it
	// rehearsal says that the batch will be cancelled, so that its refusals are not
	// noted.
	rehearsal bool
	// answer is what the commit stores for a retry, nil for nothing.
	answer *BatchAnswer
}

// BatchAnswer is the answer that is stored in the commit of a batch, for retries with
// the same Idempotency-Key.
type BatchAnswer struct {
	// KeyedAnswer says under which key it is stored; its own Make is not used.
	dat.KeyedAnswer
	// Results makes the stored answer from the results of the batch as they are
	// recorded, without their live members. It runs on the recorder's goroutine, may
	// be called again, and takes no lock.
	Results func(results []dat.Object) (status int, header map[string]string, body []byte)
}

// Rehearse says that the batch is a dry run, which ends with Cancel: its refusals are
// not noted.
func (b *Batch) Rehearse() { b.rehearsal = true }

// StoreAnswer says which answer the commit stores. A batch that changes nothing has no
// commit, and stores nothing.
func (b *Batch) StoreAnswer(a *BatchAnswer) { b.answer = a }

// batchedOp is an operation of a batch with the object that it is about.
type batchedOp struct {
	obj *object
	// upto is the number of the unit's steps after the operation.
	upto int
}

// ErrBatchEnded is the error of an operation of a batch after Run, Cancel or a
// refusal.
var ErrBatchEnded = errors.New("the batch has ended")

// BeginBatch starts a batch. It takes the operation locks of the objects that the
// batch will modify or free, all at once and in order, so that batches and single
// writes cannot deadlock. Handles that name nothing are ignored here and refused by
// the operations. Errors: those of unit.lock, and the refusal of any write before
// Restore or after Close.
func (m *Manager) BeginBatch(ctx context.Context, targets ...dat.Handle) (*Batch, error) {
	if err := m.checkOpen(); err != nil {
		return nil, err
	}
	u := m.newUnit(ctx)
	var objs []*object
	for _, id := range targets {
		if o := m.objectOf(id); o != nil && u.holds(o) {
			objs = append(objs, o)
		}
	}
	if err := u.lock(objs...); err != nil {
		u.release()
		return nil, err
	}
	u.batch = true
	return &Batch{u: u}, nil
}

// Run commits the batch. The nth result is the recorded object of operation n, nil
// if that freed it. On an error nothing was done.
func (b *Batch) Run(ctx context.Context) ([]dat.Object, error) {
	if b.u == nil {
		if b.err != nil {
			return nil, b.err
		}
		return nil, ErrBatchEnded
	}
	u := b.u
	b.u = nil
	defer u.release()
	u.ctx = ctx
	b.storeAnswerWith(u)
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
			results[i] = filled(u.m, img)
		}
	}
	return results, nil
}

// storeAnswerWith lets the entries of the unit collect what is recorded of them. With
// the last one the batch's answer is made and stored.
func (b *Batch) storeAnswerWith(u *unit) {
	if b.answer == nil {
		return
	}
	recorded := make([]dat.Object, len(u.steps))
	for i := range u.steps {
		k := b.answer.KeyedAnswer
		k.Make = func(o dat.Object) (int, map[string]string, []byte) {
			recorded[i] = o
			if i < len(recorded)-1 {
				return 0, nil, nil
			}
			return b.answer.Results(b.results(u, recorded))
		}
		u.steps[i].entry.Answer = &k
	}
}

// results returns the objects after each operation, nil where it freed one. recorded
// are those after each of the unit's steps.
func (b *Batch) results(u *unit, recorded []dat.Object) []dat.Object {
	all := make([]dat.Object, len(b.done))
	latest := map[*object]dat.Object{}
	from := 0
	for n, d := range b.done {
		for i := from; i < d.upto && i < len(recorded); i++ {
			latest[u.steps[i].obj] = recorded[i]
		}
		from = d.upto
		img, changed := latest[d.obj]
		if !changed {
			img = d.obj.recorded()
		}
		all[n] = img
	}
	return all
}

// Cancel undoes what was prepared. It does nothing after Run.
func (b *Batch) Cancel() {
	if b.u == nil {
		return
	}
	b.u.rollback()
	b.u.release()
	b.u = nil
}

// runInBatch runs one operation of a batch. subject is the object on which a
// refusal is noted.
func runInBatch[T dat.Object](b *Batch, c Call, subject dat.Handle, cause string, prepare func(*unit) (*object, T, error)) (T, error) {
	var none T
	if b.u == nil {
		return none, ErrBatchEnded
	}
	c.DryRun = false
	o, img, err := prepare(b.u)
	if err == nil && any(img) != nil {
		err = b.u.checkNameFree(o, img)
	}
	if err == nil {
		err = b.u.checkScope(subjectImage(img))
	}
	if err := b.finishOp(c, o, subject, cause, err); err != nil {
		return none, err
	}
	return img, nil
}

// finishOp remembers the object of an operation for the results. If the operation
// was refused it notes the refusal and cancels the batch.
func (b *Batch) finishOp(c Call, o *object, subject dat.Handle, cause string, err error) error {
	if err != nil {
		b.err = err
		if !b.rehearsal {
			b.u.m.noteRefusal(c, subject, cause, err)
		}
		b.Cancel()
		return err
	}
	b.done = append(b.done, batchedOp{o, len(b.u.steps)})
	return nil
}

// CreatePZ is Manager.CreatePZ in a batch.
func (b *Batch) CreatePZ(c Call, in PZCreate) (*dat.PZ, error) {
	return runInBatch(b, c, in.IA, "dat_pz_create", func(u *unit) (*object, *dat.PZ, error) { return u.createPZ(c, in) })
}

// CreateEVD is Manager.CreateEVD in a batch.
func (b *Batch) CreateEVD(c Call, in EVDCreate) (*dat.EVD, error) {
	return runInBatch(b, c, in.IA, "dat_evd_create", func(u *unit) (*object, *dat.EVD, error) { return u.createEVD(c, in) })
}

// CreateSRQ is Manager.CreateSRQ in a batch.
func (b *Batch) CreateSRQ(c Call, in SRQCreate) (*dat.SRQ, error) {
	return runInBatch(b, c, in.IA, "dat_srq_create", func(u *unit) (*object, *dat.SRQ, error) { return u.createSRQ(c, in) })
}

// CreateLMR is Manager.CreateLMR in a batch.
func (b *Batch) CreateLMR(c Call, in LMRCreate) (*dat.LMR, error) {
	return runInBatch(b, c, in.IA, "dat_lmr_create", func(u *unit) (*object, *dat.LMR, error) { return u.createLMR(c, in) })
}

// CreateRMR is Manager.CreateRMR in a batch.
func (b *Batch) CreateRMR(c Call, in RMRCreate) (*dat.RMR, error) {
	return runInBatch(b, c, in.IA, "dat_rmr_create", func(u *unit) (*object, *dat.RMR, error) { return u.createRMR(c, in) })
}

// CreateEP is Manager.CreateEP in a batch.
func (b *Batch) CreateEP(c Call, in EPCreate) (*dat.Endpoint, error) {
	return runInBatch(b, c, in.IA, in.cause(), func(u *unit) (*object, *dat.Endpoint, error) { return u.createEP(c, in) })
}

// CreatePSP is Manager.CreatePSP in a batch.
func (b *Batch) CreatePSP(c Call, in PSPCreate) (*dat.PSP, error) {
	return runInBatch(b, c, in.IA, in.cause(), func(u *unit) (*object, *dat.PSP, error) { return u.createPSP(c, in) })
}

// CreateRSP is Manager.CreateRSP in a batch.
func (b *Batch) CreateRSP(c Call, in RSPCreate) (*dat.RSP, error) {
	return runInBatch(b, c, in.IA, "dat_rsp_create", func(u *unit) (*object, *dat.RSP, error) { return u.createRSP(c, in) })
}

// ModifyEVD is Manager.ModifyEVD in a batch.
func (b *Batch) ModifyEVD(c Call, id dat.Handle, in EVDModify) (*dat.EVD, error) {
	return runInBatch(b, c, id, in.cause(), func(u *unit) (*object, *dat.EVD, error) { return u.modifyEVD(c, id, in) })
}

// ModifySRQ is Manager.ModifySRQ in a batch.
func (b *Batch) ModifySRQ(c Call, id dat.Handle, in SRQModify) (*dat.SRQ, error) {
	return runInBatch(b, c, id, "dat_srq_resize", func(u *unit) (*object, *dat.SRQ, error) { return u.modifySRQ(c, id, in) })
}

// ModifyIA is Manager.ModifyIA in a batch.
func (b *Batch) ModifyIA(c Call, id dat.Handle, in IAModify) (*dat.IA, error) {
	return runInBatch(b, c, id, causeIAModify, func(u *unit) (*object, *dat.IA, error) { return u.modifyIA(c, id, in) })
}

// ModifyEP is Manager.ModifyEP in a batch.
func (b *Batch) ModifyEP(c Call, id dat.Handle, in EPModify) (*dat.Endpoint, error) {
	return runInBatch(b, c, id, in.cause(), func(u *unit) (*object, *dat.Endpoint, error) { return u.modifyEP(c, id, in) })
}

// SetWatermark is Manager.SetWatermark in a batch.
func (b *Batch) SetWatermark(c Call, id dat.Handle, soft, hard *int64) (*dat.Endpoint, error) {
	return runInBatch(b, c, id, "dat_ep_set_watermark", func(u *unit) (*object, *dat.Endpoint, error) {
		return u.setWatermark(c, id, soft, hard)
	})
}

// Free frees an unused object, or an UNCONNECTED endpoint, when the batch is
// committed. Errors: those of the single free, DAT_INVALID_PARAMETER for a type
// that cannot be freed.
func (b *Batch) Free(c Call, typ dat.ObjectType, id dat.Handle) error {
	f, ok := frees[typ]
	if !ok {
		return errParameter(dat.SubNone, "", "A batch cannot free a "+typ.String()+"; do it by itself.")
	}
	o := b.objectOf(id)
	_, err := runInBatch(b, c, id, f.cause, func(u *unit) (*object, dat.Object, error) { return o, nil, f.free(u, c, f.cause, id) })
	return err
}

// objectOf returns the object with a handle, or an empty one if there is none.
func (b *Batch) objectOf(id dat.Handle) *object {
	if b.u == nil {
		return nil
	}
	if o := b.u.m.objectOf(id); o != nil {
		return o
	}
	return &object{}
}
