package dat

// NamedAttr is what is known of a named attribute: whole numbers Min … Max as a string.
type NamedAttr struct{ Min, Max int64 }

// Facts are what the judges must know of the IA.
type Facts struct {
	IA                            Handle
	Attributes                    IAAttributes
	Provider                      ProviderAttributes
	TransportAttrs, ProviderAttrs map[string]NamedAttr
}

// Direction is receive or request.
type Direction uint8

// The directions.
const (
	DirRecv Direction = iota
	DirRequest
	numDirections
)

const numCompletionFlags = int(CompletionEVDThreshold) + 1
const numStreams = int(StreamAsync) + 1

// EVDUse is who feeds an EVD.
type EVDUse struct {
	IA      Handle
	Streams []Stream
	DTO     [numDirections][numCompletionFlags]int
	Other   [numStreams]int
}

// Resolver gives handles.
type Resolver interface {
	PZ(h Handle) (ia Handle, ok bool)
	EVD(h Handle) (EVDUse, bool)
	SRQ(h Handle) (*SRQ, bool)
}

// CheckEPCreate judges dat_ep_create.
func CheckEPCreate(v Values, srq Handle, f *Facts, r Resolver) (*Endpoint, *Error) { return nil, nil }

// CheckEPModify judges dat_ep_modify.
func CheckEPModify(e *Endpoint, posted int, v Values, f *Facts, r Resolver) (*Endpoint, *Error) {
	return nil, nil
}

// DefaultEPAttributes are the defaults.
func DefaultEPAttributes(f *Facts) EPAttributes { return EPAttributes{} }

// Check tells whether the streams can share the EVD.
func (u EVDUse) Check() *Error { return nil }

// With adds the streams of e that go to evd.
func (u EVDUse) With(e *Endpoint, evd Handle) EVDUse { return u }

// Without removes them.
func (u EVDUse) Without(e *Endpoint, evd Handle) EVDUse { return u }

// WithOther adds one feeder of another stream.
func (u EVDUse) WithOther(s Stream) EVDUse { return u }

// WithoutOther removes it.
func (u EVDUse) WithoutOther(s Stream) EVDUse { return u }

// Mode is the mode.
func (u EVDUse) Mode() EVDMode { return ModeNone }

// CheckEVDCreate judges dat_evd_create.
func CheckEVDCreate(f *Facts, qlen int64, streams []Stream) *Error { return nil }

// CheckEVDResize judges dat_evd_resize; queued is the number of events in the queue.
func CheckEVDResize(f *Facts, evd *EVD, queued int, qlen int64) *Error { return nil }

// CheckDequeue judges dat_evd_dequeue and dat_evd_wait.
func CheckDequeue(evd *EVD, mode EVDMode, max, threshold int64, wait bool) *Error { return nil }

// CheckPostSE judges dat_evd_post_se.
func CheckPostSE(evd *EVD) *Error { return nil }

// CheckSRQCreate judges dat_srq_create.
func CheckSRQCreate(f *Facts, pz Handle, maxRecvDTOs, maxRecvIOV int64, r Resolver) *Error {
	return nil
}

// CheckSRQResize judges dat_srq_resize.
func CheckSRQResize(f *Facts, s *SRQ, outstanding int, maxRecvDTOs int64) *Error { return nil }

// CheckSRQLowWatermark judges dat_srq_set_lw.
func CheckSRQLowWatermark(f *Facts, s *SRQ, low int64) *Error { return nil }

// LMRRequest is what dat_lmr_create asks for. Of is the region of LMR, nil where the handle names none.
type LMRRequest struct {
	PZ         Handle
	MemType    MemType
	Length     int64
	Privileges []Privilege
	LMR        Handle
	Of         *LMR
	Offset     int64
	SharedID   *string
}

// CheckLMRCreate judges dat_lmr_create.
func CheckLMRCreate(f *Facts, q LMRRequest, r Resolver) *Error { return nil }

// CheckPrivileges refuses a privilege named twice.
func CheckPrivileges(p []Privilege) *Error { return nil }

// CheckRMRCreate judges dat_rmr_create.
func CheckRMRCreate(f *Facts, pz Handle, r Resolver) *Error { return nil }

// CheckBind judges the memory of dat_rmr_bind; lmr is nil where it is null (unbind).
func CheckBind(e *Endpoint, rmr *RMR, lmr *LMR, offset, length int64, privileges []Privilege) *Error {
	return nil
}

// CheckRDMA judges the local memory of an RDMA operation.
func CheckRDMA(e *Endpoint, in Input, lmr *LMR, offset, length int64) *Error { return nil }

// CheckPSPCreate judges dat_psp_create; connQual nil asks for any.
func CheckPSPCreate(f *Facts, connQual *int64, evd Handle, flag PSPFlag, r Resolver) *Error {
	return nil
}

// CheckRSPCreate judges dat_rsp_create; e is nil where the handle names none.
func CheckRSPCreate(f *Facts, connQual int64, e *Endpoint, evd Handle, r Resolver) *Error { return nil }

// CheckHandoff judges dat_cr_handoff.
func CheckHandoff(connQual int64) *Error { return nil }

// CheckPrivateData judges a length of private data; in says which call.
func CheckPrivateData(f *Facts, in Input, size int) *Error { return nil }

// ConnectRequest is what dat_ep_connect asks for.
type ConnectRequest struct {
	RemoteIAAddress string
	RemotePortQual  int64
	TimeoutUS       *int64
	PrivateData     []byte
	QOS             *string
	ConnectFlags    *string
}

// CheckConnect judges dat_ep_connect beyond state and readiness; it gives the QOS asked for.
func CheckConnect(e *Endpoint, f *Facts, q ConnectRequest) (QOS, *Error) { return 0, nil }

// CheckDupConnect judges dat_ep_dup_connect; dup is nil where the handle names none.
func CheckDupConnect(e, dup *Endpoint, f *Facts, q ConnectRequest) (QOS, *Error) { return 0, nil }

// CheckPost judges limits of a post.
func CheckPost(e *Endpoint, in Input, outstanding int, count int, size int64, flags []CompletionFlag) *Error {
	return nil
}

// CheckSRQPost judges dat_srq_post_recv.
func CheckSRQPost(s *SRQ, outstanding int, count int, size int64) *Error { return nil }

// Firing says which marks fired.
type Firing struct{ Soft, Hard bool }

// Set sets both marks.
func (w Watermarks) Set(soft, hard Watermark, b int, connected bool) (Watermarks, Firing) {
	return w, Firing{}
}

// Taken judges after a change of B or at the establishment.
func (w Watermarks) Taken(b int, connected bool) (Watermarks, Firing) { return w, Firing{} }

// CheckWatermarks judges dat_ep_set_watermark.
func CheckWatermarks(soft, hard *int64, srq bool, p *ProviderAttributes) (Watermark, Watermark, *Error) {
	return 0, 0, nil
}

// MatrixDoc is the tables as data.
type MatrixDoc struct{}

// Matrix gives the tables.
func Matrix() MatrixDoc { return MatrixDoc{} }

// IAAttributeNames are the names of the mask.
func IAAttributeNames() []string { return nil }

// ProviderAttributeNames are the names of the mask.
func ProviderAttributeNames() []string { return nil }
