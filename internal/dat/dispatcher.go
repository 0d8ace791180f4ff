package dat

import "slices"

// EVDMode is the CONFIG_* part of DAT_EVD_STATE: how completions notify a waiter (D41).
//
// ModeNone, null on the wire, is an EVD that no DTO stream feeds (R11).
type EVDMode uint8

// The modes of an EVD.
const (
	ModeNone EVDMode = iota
	ModeThreshold
	ModeNotify
	ModeSolicited
)

var evdModeNames = [...]string{
	ModeNone:      "",
	ModeThreshold: "THRESHOLD",
	ModeNotify:    "NOTIFY",
	ModeSolicited: "SOLICITED",
}

// String returns the wire word.
func (e EVDMode) String() string { return nameOf(evdModeNames[:], e) }

// MarshalText writes the wire word.
func (e EVDMode) MarshalText() ([]byte, error) { return textOf(evdModeNames[:], e) }

// UnmarshalText reads the wire word; another word is an error.
func (e *EVDMode) UnmarshalText(b []byte) error { return parse(evdModeNames[:], b, e) }

// MinAsyncQLen is the least length of an IA's async EVD, in events.
const MinAsyncQLen = 1024

// Arguments of the calls on Event Dispatchers.
const (
	argEVDCreateQLen    = 2
	argEVDCreateStreams = 4
	argEVDResizeQLen    = 2
	argEVDWaitThreshold = 3
	argEVDDequeueMax    = 2
)

// CheckEVDCreate judges dat_evd_create for a consumer: qlen in events, 1 to the
// IA's max_evd_qlen, and streams that the provider can merge in pairs (C20).
//
// ASYNC is refused: the service makes the async EVD of an IA itself. All
// refusals are DAT_INVALID_PARAMETER.
func CheckEVDCreate(f *Facts, qlen int64, streams []Stream) *Error {
	if err := checkQLen(f, qlen, 1, argEVDCreateQLen); err != nil {
		return err
	}
	if len(streams) == 0 {
		return badValue(argEVDCreateStreams, "streams", "streams is empty; it must name at least one of SOFTWARE, CR, DTO, CONNECTION and RMR_BIND")
	}
	if slices.Contains(streams, StreamAsync) {
		return badValue(argEVDCreateStreams, "streams", "ASYNC events go to the IA's own async_evd; name other streams")
	}
	for i, a := range streams {
		for _, b := range streams[i:] {
			if !f.Provider.EVDStreamMergingSupported[a][b] {
				return badValue(argEVDCreateStreams, "streams", "%s cannot merge %s and %s on one EVD; make one EVD for each", f.IA, a, b)
			}
		}
	}
	return nil
}

func checkQLen(f *Facts, qlen, least int64, argument int) *Error {
	if most := int64(f.Attributes.MaxEVDQLen); qlen < least || qlen > most {
		return outOfRange(argument, "qlen", qlen, least, most, f.IA, "max_evd_qlen")
	}
	return nil
}

// SortStreams returns the streams in the order of the merging matrix, each once.
func SortStreams(streams []Stream) []Stream {
	sorted := slices.Clone(streams)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// CheckEVDResize judges dat_evd_resize: a length beyond the IA's limit is
// DAT_INVALID_PARAMETER, one below the number of queued events
// DAT_INVALID_STATE.
func CheckEVDResize(f *Facts, evd *EVD, queued int, qlen int64) *Error {
	least := int64(1)
	if slices.Contains(evd.Streams, StreamAsync) {
		least = MinAsyncQLen
	}
	if err := checkQLen(f, qlen, least, argEVDResizeQLen); err != nil {
		return err
	}
	if qlen < int64(queued) {
		return refuse(RetInvalidState, SubNone, "qlen", "qlen is %d but %d events are queued; dequeue some or keep room for them", qlen, queued)
	}
	return nil
}

// waitSubtypes are the subtypes of DAT_INVALID_STATE for a threshold that the
// mode of an EVD forbids (R12).
var waitSubtypes = [...]Subtype{
	ModeNone:      SubNone,
	ModeThreshold: SubNone,
	ModeNotify:    SubInvalidStateEVDConfigNotify,
	ModeSolicited: SubInvalidStateEVDConfigSolicited,
}

// CheckDequeue judges dat_evd_dequeue, or dat_evd_wait where wait is set: most
// is the number of events asked for, threshold the number to wait for.
//
// Both must be 1 to the queue's length (DAT_INVALID_PARAMETER). To wait, the
// EVD must be waitable and, in NOTIFY or SOLICITED mode, the threshold 1
// (R12, DAT_INVALID_STATE).
func CheckDequeue(evd *EVD, mode EVDMode, most, threshold int64, wait bool) *Error {
	if most < 1 {
		return badValue(argEVDDequeueMax, "max", "max is %d; it must be at least 1", most)
	}
	if threshold < 1 || threshold > int64(evd.QLen) {
		return badValue(argEVDWaitThreshold, "threshold", "threshold is %d; this EVD allows 1 to %d (its qlen)", threshold, evd.QLen)
	}
	if !wait {
		return nil
	}
	if !evd.Waitable {
		return refuse(RetInvalidState, SubInvalidStateEVDUnwaitable, "", "evd %s is unwaitable; set waitable to true or dequeue without waiting", evd.ID)
	}
	if sub := waitSubtypes[mode]; sub != SubNone && threshold != 1 {
		return refuse(RetInvalidState, sub, "threshold", "threshold is %d but evd %s is in %s mode, which allows 1 only (R12)", threshold, evd.ID, mode)
	}
	return nil
}

// CheckPostSE judges dat_evd_post_se: the EVD must have been made for SOFTWARE
// events (DAT_INVALID_PARAMETER).
func CheckPostSE(evd *EVD) *Error {
	if slices.Contains(evd.Streams, StreamSoftware) {
		return nil
	}
	return badValue(1, "streams", "evd %s was not made for SOFTWARE events; create one whose streams name SOFTWARE", evd.ID)
}
