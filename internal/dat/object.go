package dat

// ObjectRef names an object without holding it.
type ObjectRef struct {
	Type ObjectType `json:"type"`
	ID   Handle     `json:"id"`
	Name Name       `json:"name"`
}

// Meta is what every recorded object carries.
type Meta struct {
	ID Handle `json:"id"`
	// Name is the consumer's own word: 1–63 of `a-z 0-9 . _ -`, unique per type
	// among the living, or empty.
	Name Name `json:"name"`
	// Labels are the consumer's own; never nil in a recorded object.
	Labels map[string]string `json:"labels"`
	// IA is `<ia name>@<node name>`; Node the host that owns the object.
	IA   Handle `json:"ia"`
	Node string `json:"node"`
	// Version starts at 1 and grows by one with each recorded change whose
	// outcome is DAT_SUCCESS or that is an event.
	Version   int64 `json:"version"`
	CreatedAt Time  `json:"created_at"`
	UpdatedAt Time  `json:"updated_at"`
}

// Object is a recorded object: *IA, *PZ, *EVD, *SRQ, *LMR, *RMR, *Endpoint,
// *PSP, *RSP or *CR.
//
// A recorded object is never changed after it was published; changes are made
// on a Clone.
type Object interface {
	// Type returns the object's type.
	Type() ObjectType
	// Head returns the part that all types have; it may be written on a clone only.
	Head() *Meta
	// Clone returns a deep copy.
	Clone() Object
	// Refs returns the handles of the objects that this one uses (PZ, EVDs, SRQ,
	// endpoint, …), for filters and in-use checks.
	Refs() []Handle
}

// Head implements Object.
func (m *Meta) Head() *Meta { return m }
