package manager_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// twin is one of two nodes that get the same writes, one by single calls and one by
// batches. made are its objects in the order in which they were created.
type twin struct {
	*testNode
	batch *manager.Batch
	made  []dat.Handle
}

// write is one operation for both twins. single and batch return the handle of what
// they created.
type write struct {
	name string
	// targets are the objects that it changes or ends.
	targets []int
	single  func(*twin) (dat.Handle, error)
	batch   func(*twin) (dat.Handle, error)
}

// id returns the handle of what a creation made.
func id[T dat.Object](o T, err error) (dat.Handle, error) {
	if err != nil {
		return "", err
	}
	return o.Head().ID, nil
}

// handle returns the nth object that was created: null for -1, an unknown handle if
// there is no nth.
func (w *twin) handle(n int) dat.Handle {
	if n < 0 {
		return dat.HandleNull
	}
	if n >= len(w.made) {
		return "00000000-0000-7000-8000-000000000000"
	}
	return w.made[n]
}

// drawWrite draws an operation; kinds are the types of the objects that were
// created.
func drawWrite(t *rapid.T, kinds []dat.ObjectType, qual int64) write {
	some := func(typ dat.ObjectType, orNull bool) int {
		var fit []int
		for i, k := range kinds {
			if k == typ {
				fit = append(fit, i)
			}
		}
		if orNull {
			fit = append(fit, -1)
		}
		if len(fit) == 0 {
			return len(kinds) // nothing of the type is there
		}
		return rapid.SampledFrom(fit).Draw(t, typ.String())
	}
	switch rapid.SampledFrom([]string{"pz", "evd", "ep", "patch", "patch", "patch", "marks", "rsp", "rsp", "free rsp", "free", "free"}).Draw(t, "write") {
	case "pz":
		return write{
			name: "create PZ",
			single: func(w *twin) (dat.Handle, error) {
				return id(w.m.CreatePZ(w.ctx(), testCall, manager.PZCreate{IA: w.ia}))
			},
			batch: func(w *twin) (dat.Handle, error) { return id(w.batch.CreatePZ(testCall, manager.PZCreate{IA: w.ia})) },
		}
	case "evd":
		in := func(w *twin) manager.EVDCreate {
			return manager.EVDCreate{IA: w.ia, QLen: 16, Streams: []dat.Stream{dat.StreamDTO, dat.StreamConnection, dat.StreamCR}}
		}
		return write{
			name:   "create EVD",
			single: func(w *twin) (dat.Handle, error) { return id(w.m.CreateEVD(w.ctx(), testCall, in(w))) },
			batch:  func(w *twin) (dat.Handle, error) { return id(w.batch.CreateEVD(testCall, in(w))) },
		}
	case "ep":
		pz, evd := some(dat.TypePZ, true), some(dat.TypeEVD, true)
		name := dat.Name(rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "name"))
		in := func(w *twin) manager.EPCreate {
			return manager.EPCreate{IA: w.ia, Name: name, Values: dat.Values{dat.ParamPZ: w.handle(pz), dat.ParamRecvEVD: w.handle(evd), dat.ParamConnectEVD: w.handle(evd)}}
		}
		return write{
			name:   fmt.Sprintf("create endpoint pz=%d evd=%d name=%q", pz, evd, name),
			single: func(w *twin) (dat.Handle, error) { return id(w.m.CreateEP(w.ctx(), testCall, in(w))) },
			batch:  func(w *twin) (dat.Handle, error) { return id(w.batch.CreateEP(testCall, in(w))) },
		}
	case "patch":
		ep, what := some(dat.TypeEndpoint, false), rapid.IntRange(0, 4).Draw(t, "what")
		pz, evd := some(dat.TypePZ, true), some(dat.TypeEVD, true)
		dtos := rapid.Int64Range(-1, 20).Draw(t, "dtos")
		in := func(w *twin) manager.EPModify {
			return [...]manager.EPModify{
				{Values: dat.Values{dat.ParamPZ: w.handle(pz)}},
				{Values: dat.Values{dat.ParamRecvEVD: w.handle(evd)}},
				{Values: dat.Values{dat.ParamMaxRecvDTOs: dtos}},
				{Values: dat.Values{dat.ParamServiceType: "RC"}},
				{Name: new(dat.Name("a"))},
			}[what]
		}
		return write{
			name: fmt.Sprintf("patch %d: %d pz=%d evd=%d dtos=%d", ep, what, pz, evd, dtos), targets: []int{ep},
			single: func(w *twin) (dat.Handle, error) {
				_, err := w.m.ModifyEP(w.ctx(), testCall, w.handle(ep), in(w))
				return "", err
			},
			batch: func(w *twin) (dat.Handle, error) {
				_, err := w.batch.ModifyEP(testCall, w.handle(ep), in(w))
				return "", err
			},
		}
	case "marks":
		ep, soft := some(dat.TypeEndpoint, false), rapid.Int64Range(0, 4).Draw(t, "soft")
		return write{
			name: fmt.Sprintf("watermarks %d: %d", ep, soft), targets: []int{ep},
			single: func(w *twin) (dat.Handle, error) {
				_, err := w.m.SetWatermark(w.ctx(), testCall, w.handle(ep), &soft, nil)
				return "", err
			},
			batch: func(w *twin) (dat.Handle, error) {
				_, err := w.batch.SetWatermark(testCall, w.handle(ep), &soft, nil)
				return "", err
			},
		}
	case "rsp":
		ep, evd := some(dat.TypeEndpoint, false), some(dat.TypeEVD, false)
		in := func(w *twin) manager.RSPCreate {
			return manager.RSPCreate{IA: w.ia, ConnQual: qual, Endpoint: w.handle(ep), EVD: w.handle(evd)}
		}
		return write{
			name: fmt.Sprintf("create RSP endpoint=%d evd=%d", ep, evd), targets: []int{ep},
			single: func(w *twin) (dat.Handle, error) { return id(w.m.CreateRSP(w.ctx(), testCall, in(w))) },
			batch:  func(w *twin) (dat.Handle, error) { return id(w.batch.CreateRSP(testCall, in(w))) },
		}
	case "free rsp":
		return drawFree(some(dat.TypeRSP, false), dat.TypeRSP)
	}
	typ := rapid.SampledFrom([]dat.ObjectType{dat.TypePZ, dat.TypeEVD, dat.TypeEndpoint}).Draw(t, "type")
	return drawFree(some(typ, false), typ)
}

func drawFree(n int, typ dat.ObjectType) write {
	free := map[dat.ObjectType]func(*manager.Manager, context.Context, manager.Call, dat.Handle) error{
		dat.TypePZ: (*manager.Manager).FreePZ, dat.TypeEVD: (*manager.Manager).FreeEVD,
		dat.TypeEndpoint: (*manager.Manager).FreeEP, dat.TypeRSP: (*manager.Manager).FreeRSP,
	}[typ]
	return write{
		name: fmt.Sprintf("free %s %d", typ, n), targets: []int{n},
		single: func(w *twin) (dat.Handle, error) { return "", free(w.m, w.ctx(), testCall, w.handle(n)) },
		batch:  func(w *twin) (dat.Handle, error) { return "", w.batch.Free(testCall, typ, w.handle(n)) },
	}
}

// verdict returns what a caller learns from an error: nothing, or which refusal it
// is.
func verdict(err error) string {
	var d *dat.Error
	if errors.As(err, &d) {
		return fmt.Sprint(d.Return, d.Subtype, d.Kind)
	}
	return fmt.Sprint(err)
}

// summary returns everything about the twin's objects, with numbers instead of
// handles.
func (w *twin) summary() []string {
	places := map[dat.Handle]string{dat.HandleNull: "null"}
	for i, h := range w.made {
		places[h] = fmt.Sprint(i)
	}
	var out []string
	for i, h := range w.made {
		for _, typ := range []dat.ObjectType{dat.TypePZ, dat.TypeEVD, dat.TypeEndpoint, dat.TypeRSP} {
			o, ok := w.m.Get(typ, h)
			if !ok {
				continue
			}
			line := fmt.Sprint(i, " ", typ, " version ", o.Head().Version, " name ", o.Head().Name)
			if e, ok := o.(*dat.Endpoint); ok {
				l := w.m.Live(h)
				line += fmt.Sprint(" ", e.State, l.State, places[e.PZ], places[l.PZ], places[e.RecvEVD], places[l.RecvEVD],
					e.Attributes.MaxRecvDTOs, l.Attributes.MaxRecvDTOs, e.Watermarks, l.Watermarks, w.hooks.engineParams(h).Attributes.MaxRecvDTOs)
			}
			out = append(out, line)
		}
	}
	usage, _ := w.m.IA(w.ia)
	census := w.soft.Fabric().Census()
	return append(out, fmt.Sprintf("%+v %+v", usage.Usage, census))
}

func TestABatchJudgesEachWriteAsIfTheOnesBeforeItWereDone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		alone, together := &twin{testNode: newNode(t)}, &twin{testNode: newNode(t)}
		defer alone.close()
		defer together.close()
		var kinds []dat.ObjectType
		qual := int64(1000)
		for range rapid.IntRange(1, 4).Draw(rt, "batches") {
			var writes []write
			committed := len(alone.made)
			for range rapid.IntRange(1, 8).Draw(rt, "writes") {
				qual++
				w := drawWrite(rt, kinds, qual)
				h, want := w.single(alone)
				if want == nil {
					if writes = append(writes, w); h != "" {
						alone.made = append(alone.made, h)
						kinds = append(kinds, typeOf(alone.testNode, h))
					}
				}
				if want != nil {
					together.try(rt, append(slices.Clone(writes), w), committed, want)
				}
			}
			together.try(rt, writes, committed, nil)
			if a, b := alone.summary(), together.summary(); !slices.Equal(a, b) {
				rt.Fatalf("single calls end as\n%v\na batch as\n%v", a, b)
			}
		}
	})
}

func typeOf(node *testNode, h dat.Handle) dat.ObjectType {
	for _, typ := range []dat.ObjectType{dat.TypePZ, dat.TypeEVD, dat.TypeEndpoint, dat.TypeRSP} {
		if _, ok := node.m.Get(typ, h); ok {
			return typ
		}
	}
	return dat.TypeIA
}

// try runs writes as one batch. want is the expected error of the last one, after
// which nothing of the batch may be left.
func (w *twin) try(t *rapid.T, writes []write, committed int, want error) {
	w.made = w.made[:committed]
	before := w.summary()
	var targets []dat.Handle
	for _, op := range writes {
		for _, n := range op.targets {
			if n < committed {
				targets = append(targets, w.handle(n))
			}
		}
	}
	var err error
	if w.batch, err = w.m.BeginBatch(w.ctx(), targets...); err != nil {
		t.Fatal(err)
	}
	for i, op := range writes {
		h, err := op.batch(w)
		if h != "" {
			w.made = append(w.made, h)
		}
		expected := error(nil)
		if i == len(writes)-1 {
			expected = want
		}
		if verdict(err) != verdict(expected) {
			w.batch.Cancel()
			t.Fatalf("%s, after %d others: a batch says %v, a single call %v", op.name, i, err, expected)
		}
	}
	if want == nil {
		if _, err := w.batch.Run(w.ctx()); err != nil {
			t.Fatalf("the batch: %v", err)
		}
		return
	}
	w.batch.Cancel()
	w.made = w.made[:committed]
	if after := w.summary(); !slices.Equal(before, after) {
		t.Fatalf("a refused batch left\n%v\nwhere\n%v\nwas", after, before)
	}
}
