package dat

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

// MatrixDoc is the tables as data.
type MatrixDoc struct{}

// Matrix gives the tables.
func Matrix() MatrixDoc { return MatrixDoc{} }

// IAAttributeNames are the names of the mask.
func IAAttributeNames() []string { return nil }

// ProviderAttributeNames are the names of the mask.
func ProviderAttributeNames() []string { return nil }
func checkSRQWorks(s *SRQ) *Error { return nil }
