package dat

// CompletionFlag is one flag of DAT_COMPLETION_FLAGS.
//
// As an endpoint attribute one of UNSIGNALLED, SOLICITED_WAIT (receives only)
// and EVD_THRESHOLD is meant; DEFAULT is accepted and stored as EVD_THRESHOLD
// (A9, A10, A12, D14). The others belong to single postings.
type CompletionFlag uint8

// The completion flags.
const (
	CompletionDefault CompletionFlag = iota
	CompletionSuppress
	CompletionSolicitedWait
	CompletionUnsignalled
	CompletionBarrierFence
	CompletionEVDThreshold
)

var completionFlagNames = [...]string{
	CompletionDefault:       "DEFAULT",
	CompletionSuppress:      "SUPPRESS",
	CompletionSolicitedWait: "SOLICITED_WAIT",
	CompletionUnsignalled:   "UNSIGNALLED",
	CompletionBarrierFence:  "BARRIER_FENCE",
	CompletionEVDThreshold:  "EVD_THRESHOLD",
}

// String returns the flag without its DAT prefix.
func (c CompletionFlag) String() string { return nameOf(completionFlagNames[:], c) }

// MarshalText writes the flag without its DAT prefix.
func (c CompletionFlag) MarshalText() ([]byte, error) { return textOf(completionFlagNames[:], c) }

// UnmarshalText reads the flag without its DAT prefix; another word is an error.
func (c *CompletionFlag) UnmarshalText(b []byte) error { return parse(completionFlagNames[:], b, c) }
