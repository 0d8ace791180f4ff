package rdma

import (
	"context"
	"errors"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

var errSurface = errors.New("not there yet")

type Manager struct{}
type Option func(*Manager)

func NewManager(node string, rec Recorder, opts ...Option) *Manager       { return &Manager{} }
func (m *Manager) AddProvider(ctx context.Context, p Provider) error      { return errSurface }
func (m *Manager) Restore(ctx context.Context, living []dat.Object) error { return errSurface }
func (m *Manager) Close(ctx context.Context) (connected int, err error)   { return 0, errSurface }

func (m *Manager) IAs() []*dat.IA                                           { return nil }
func (m *Manager) IA(id dat.Handle) (*dat.IA, bool)                         { return nil, false }
func (m *Manager) Get(t dat.ObjectType, id dat.Handle) (dat.Object, bool)   { return nil, false }
func (m *Manager) List(t dat.ObjectType) []dat.Object                       { return nil }
func (m *Manager) Fill(objs []dat.Object)                                   {}
func (m *Manager) Facts(ia dat.Handle) (*dat.Facts, bool)                   { return nil, false }
func (m *Manager) Live(id dat.Handle) *dat.Endpoint                         { return nil }
func (m *Manager) Modifiable(id dat.Handle) []string                        { return nil }
func (m *Manager) EPStatus(id dat.Handle) (dat.EPStatus, error)             { return dat.EPStatus{}, errSurface }
func (m *Manager) RecvQuery(id dat.Handle) (dat.RecvQuery, error)           { return dat.RecvQuery{}, errSurface }
func (m *Manager) WaitEP(ctx context.Context, id dat.Handle, settled func(dat.EPState) bool) (*dat.Endpoint, error) {
	return nil, errSurface
}

func (m *Manager) CreatePZ(ctx context.Context, c Call, in PZCreate) (*dat.PZ, error) { return nil, errSurface }
func (m *Manager) FreePZ(ctx context.Context, c Call, id dat.Handle) error            { return errSurface }
func (m *Manager) CreateEVD(ctx context.Context, c Call, in EVDCreate) (*dat.EVD, error) {
	return nil, errSurface
}
func (m *Manager) ModifyEVD(ctx context.Context, c Call, id dat.Handle, in EVDModify) (*dat.EVD, error) {
	return nil, errSurface
}
func (m *Manager) FreeEVD(ctx context.Context, c Call, id dat.Handle) error { return errSurface }
func (m *Manager) Dequeue(ctx context.Context, id dat.Handle, max, threshold int, wait time.Duration) ([]dat.Event, error) {
	return nil, errSurface
}
func (m *Manager) Look(id dat.Handle, limit int) ([]dat.Event, error) { return nil, errSurface }
func (m *Manager) PostSE(ctx context.Context, c Call, id dat.Handle, data SoftwareEvent) (dat.Event, error) {
	return dat.Event{}, errSurface
}
func (m *Manager) CreateSRQ(ctx context.Context, c Call, in SRQCreate) (*dat.SRQ, error) {
	return nil, errSurface
}
func (m *Manager) ModifySRQ(ctx context.Context, c Call, id dat.Handle, in SRQModify) (*dat.SRQ, error) {
	return nil, errSurface
}
func (m *Manager) SetSRQLowWatermark(ctx context.Context, c Call, id dat.Handle, low int64) (*dat.SRQ, error) {
	return nil, errSurface
}
func (m *Manager) PostSRQRecv(ctx context.Context, c Call, id dat.Handle, in RecvPost) (Posted, error) {
	return Posted{}, errSurface
}
func (m *Manager) FreeSRQ(ctx context.Context, c Call, id dat.Handle) error { return errSurface }
func (m *Manager) CreateLMR(ctx context.Context, c Call, in LMRCreate) (*dat.LMR, error) {
	return nil, errSurface
}
func (m *Manager) FreeLMR(ctx context.Context, c Call, id dat.Handle) error { return errSurface }
func (m *Manager) ReadLMR(ctx context.Context, id dat.Handle, offset, length int64) ([]byte, error) {
	return nil, errSurface
}
func (m *Manager) WriteLMR(ctx context.Context, c Call, id dat.Handle, offset int64, data []byte) error {
	return errSurface
}
func (m *Manager) CreateRMR(ctx context.Context, c Call, in RMRCreate) (*dat.RMR, error) {
	return nil, errSurface
}
func (m *Manager) FreeRMR(ctx context.Context, c Call, id dat.Handle) error { return errSurface }
func (m *Manager) CreateEP(ctx context.Context, c Call, in EPCreate) (*dat.Endpoint, error) {
	return nil, errSurface
}
func (m *Manager) ModifyEP(ctx context.Context, c Call, id dat.Handle, in EPModify) (*dat.Endpoint, error) {
	return nil, errSurface
}
func (m *Manager) SetWatermark(ctx context.Context, c Call, id dat.Handle, soft, hard *int64) (*dat.Endpoint, error) {
	return nil, errSurface
}
func (m *Manager) ConnectEP(ctx context.Context, c Call, id dat.Handle, in EPConnect) (*dat.Endpoint, error) {
	return nil, errSurface
}
func (m *Manager) DupConnectEP(ctx context.Context, c Call, id dat.Handle, in EPDupConnect) (*dat.Endpoint, error) {
	return nil, errSurface
}
func (m *Manager) DisconnectEP(ctx context.Context, c Call, id dat.Handle, how dat.CloseFlag) (*dat.Endpoint, error) {
	return nil, errSurface
}
func (m *Manager) ResetEP(ctx context.Context, c Call, id dat.Handle) (*dat.Endpoint, error) {
	return nil, errSurface
}
func (m *Manager) FreeEP(ctx context.Context, c Call, id dat.Handle) error { return errSurface }
func (m *Manager) PostRecv(ctx context.Context, c Call, id dat.Handle, in RecvPost) (Posted, error) {
	return Posted{}, errSurface
}
func (m *Manager) PostSend(ctx context.Context, c Call, id dat.Handle, in SendPost) (Posted, error) {
	return Posted{}, errSurface
}
func (m *Manager) PostRDMA(ctx context.Context, c Call, id dat.Handle, kind dat.DTOKind, in RDMAPost) (Posted, error) {
	return Posted{}, errSurface
}
func (m *Manager) BindRMR(ctx context.Context, c Call, id dat.Handle, in BindPost) (Posted, error) {
	return Posted{}, errSurface
}
func (m *Manager) CreatePSP(ctx context.Context, c Call, in PSPCreate) (*dat.PSP, error) {
	return nil, errSurface
}
func (m *Manager) FreePSP(ctx context.Context, c Call, id dat.Handle) error { return errSurface }
func (m *Manager) CreateRSP(ctx context.Context, c Call, in RSPCreate) (*dat.RSP, error) {
	return nil, errSurface
}
func (m *Manager) FreeRSP(ctx context.Context, c Call, id dat.Handle) error { return errSurface }
func (m *Manager) AcceptCR(ctx context.Context, c Call, id dat.Handle, in CRAccept) (*dat.Endpoint, error) {
	return nil, errSurface
}
func (m *Manager) RejectCR(ctx context.Context, c Call, id dat.Handle, privateData []byte) error {
	return errSurface
}
func (m *Manager) HandoffCR(ctx context.Context, c Call, id dat.Handle, connQual int64) error {
	return errSurface
}

// Batch is several writes as one unit.
type Batch struct{}

func (m *Manager) BeginBatch(ctx context.Context, targets ...dat.Handle) (*Batch, error) {
	return nil, errSurface
}
func (b *Batch) CreatePZ(c Call, in PZCreate) (*dat.PZ, error)                                { return nil, errSurface }
func (b *Batch) CreateEVD(c Call, in EVDCreate) (*dat.EVD, error)                             { return nil, errSurface }
func (b *Batch) CreateSRQ(c Call, in SRQCreate) (*dat.SRQ, error)                             { return nil, errSurface }
func (b *Batch) CreateLMR(c Call, in LMRCreate) (*dat.LMR, error)                             { return nil, errSurface }
func (b *Batch) CreateRMR(c Call, in RMRCreate) (*dat.RMR, error)                             { return nil, errSurface }
func (b *Batch) CreateEP(c Call, in EPCreate) (*dat.Endpoint, error)                          { return nil, errSurface }
func (b *Batch) CreatePSP(c Call, in PSPCreate) (*dat.PSP, error)                             { return nil, errSurface }
func (b *Batch) CreateRSP(c Call, in RSPCreate) (*dat.RSP, error)                             { return nil, errSurface }
func (b *Batch) ModifyEVD(c Call, id dat.Handle, in EVDModify) (*dat.EVD, error)              { return nil, errSurface }
func (b *Batch) ModifySRQ(c Call, id dat.Handle, in SRQModify) (*dat.SRQ, error)              { return nil, errSurface }
func (b *Batch) ModifyEP(c Call, id dat.Handle, in EPModify) (*dat.Endpoint, error)           { return nil, errSurface }
func (b *Batch) SetWatermark(c Call, id dat.Handle, soft, hard *int64) (*dat.Endpoint, error) { return nil, errSurface }
func (b *Batch) Free(c Call, t dat.ObjectType, id dat.Handle) error                           { return errSurface }

// Run commits the batch; results[n] is what operation n recorded (nil where freed).
func (b *Batch) Run(ctx context.Context) ([]dat.Object, error) { return nil, errSurface }

// Cancel undoes what was prepared; it does nothing after Run.
func (b *Batch) Cancel() {}
