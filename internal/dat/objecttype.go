package dat

import "slices"

// ObjectType is the type of a DAT object that this service manages (DAT_HANDLE_TYPE).
type ObjectType uint8

// The object types.
const (
	TypeIA ObjectType = iota
	TypePZ
	TypeEVD
	TypeSRQ
	TypeLMR
	TypeRMR
	TypeEndpoint
	TypePSP
	TypeRSP
	TypeCR
	numObjectTypes
)

// TypeNode is the type of a node of the service in the log of changes, which tells the moves of
// nodes beside those of objects. A node is no object of DAT: ObjectTypes leaves it out, and the
// methods that tell more of a type than its word are not for it.
const TypeNode = numObjectTypes

// objectType is a row of the table of object types: what is true of all objects
// of one type.
type objectType struct {
	// word is the type on the wire, plural that of several objects.
	word, plural string
	// empty makes an object whose members have the values that they have in a
	// record from before they were added.
	empty func() Object
	// clearLive empties the members that are filled in when an object is read and
	// never recorded; nil where there are none.
	clearLive func(Object)
	// usage points to the number of living objects of an IA; nil where they are
	// not counted.
	usage func(*IAUsage) *int
	// limit bounds that number; its Max is nil where nothing does.
	limit ObjectLimit
	// invalid is the subtype of DAT_INVALID_HANDLE. An EVD has several; the judges
	// of the calls that take one choose among them.
	invalid Subtype
	// inUse is the subtype of DAT_INVALID_STATE that a free meets while others use
	// the object, users what these are; SubNone where none can.
	inUse Subtype
	users string
	// rank is the type's place in the order in which a device's objects are made
	// again; 0 where they are not.
	rank int
	// consumers: a consumer creates the object, and may give it a name.
	consumers bool
}

// ObjectLimit bounds the number of living objects of a type on an IA. Beyond
// it a creation is DAT_INSUFFICIENT_RESOURCES.
type ObjectLimit struct {
	// Max returns the greatest number, Name is the IA attribute that it is.
	Max  func(*IAAttributes) int32
	Name string
	// Subtype is that of the refusal.
	Subtype Subtype
}

// objectTypes has a row for each type of object.
var objectTypes = [numObjectTypes]objectType{
	TypeIA: {
		word: "ia", plural: "ias", empty: emptyIA, clearLive: func(o Object) { o.(*IA).Usage = IAUsage{} },
		invalid: SubInvalidHandleIA,
	},
	TypePZ: {
		word: "pz", plural: "pzs", empty: func() Object { return &PZ{Meta: emptyMeta()} },
		usage: func(u *IAUsage) *int { return &u.PZs },
		limit: ObjectLimit{func(a *IAAttributes) int32 { return a.MaxPZs }, "max_pzs", SubResourceProtectionDomain},

		invalid: SubInvalidHandlePZ, inUse: SubInvalidStatePZInUse, users: "endpoints, memory regions or shared receive queues",
		rank: 1, consumers: true,
	},
	TypeEVD: {
		word: "evd", plural: "evds", clearLive: clearLiveEVD,
		empty: func() Object { return &EVD{Meta: emptyMeta(), Streams: []Stream{}, Waitable: true} },
		usage: func(u *IAUsage) *int { return &u.EVDs },
		limit: ObjectLimit{func(a *IAAttributes) int32 { return a.MaxEVDs }, "max_evds", SubResourceTEVD},

		invalid: SubInvalidHandle1, inUse: SubInvalidStateEVDInUse, users: "endpoints, service points or adapters",
		rank: 2, consumers: true,
	},
	TypeSRQ: {
		word: "srq", plural: "srqs", clearLive: clearLiveSRQ, empty: func() Object { return &SRQ{Meta: emptyMeta()} },
		usage: func(u *IAUsage) *int { return &u.SRQs },
		limit: ObjectLimit{func(a *IAAttributes) int32 { return a.MaxSRQs }, "max_srqs", SubResourceSRQ},

		invalid: SubInvalidHandleSRQ, inUse: SubInvalidStateSRQInUse, users: "endpoints",
		rank: 3, consumers: true,
	},
	TypeLMR: {
		word: "lmr", plural: "lmrs", empty: func() Object { return &LMR{Meta: emptyMeta(), Privileges: []Privilege{}} },
		usage: func(u *IAUsage) *int { return &u.LMRs },
		limit: ObjectLimit{func(a *IAAttributes) int32 { return a.MaxLMRs }, "max_lmrs", SubResourceMemoryRegion},

		invalid: SubInvalidHandleLMR, inUse: SubInvalidStateLMRInUse, users: "windows or memory regions",
		rank: 4, consumers: true,
	},
	TypeRMR: {
		word: "rmr", plural: "rmrs", empty: func() Object { return &RMR{Meta: emptyMeta(), Privileges: []Privilege{}} },
		usage: func(u *IAUsage) *int { return &u.RMRs },
		limit: ObjectLimit{func(a *IAAttributes) int32 { return a.MaxRMRs }, "max_rmrs", SubResourceMemoryRegion},

		invalid: SubInvalidHandleRMR, rank: 5, consumers: true,
	},
	TypeEndpoint: {
		word: "endpoint", plural: "endpoints", empty: emptyEndpoint,
		usage: func(u *IAUsage) *int { return &u.Endpoints },
		limit: ObjectLimit{func(a *IAAttributes) int32 { return a.MaxEPs }, "max_eps", SubResourceTEP},

		invalid: SubInvalidHandleEP, rank: 6, consumers: true,
	},
	TypePSP: {
		word: "psp", plural: "psps", empty: func() Object { return &PSP{Meta: emptyMeta()} },
		usage:   func(u *IAUsage) *int { return &u.PSPs },
		invalid: SubInvalidHandlePSP, rank: 7, consumers: true,
	},
	TypeRSP: {
		word: "rsp", plural: "rsps", empty: func() Object { return &RSP{Meta: emptyMeta()} },
		usage:   func(u *IAUsage) *int { return &u.RSPs },
		invalid: SubInvalidHandleRSP, rank: 8, consumers: true,
	},
	TypeCR: {
		word: "cr", plural: "crs", empty: func() Object { return &CR{Meta: emptyMeta()} },
		clearLive: func(o Object) { o.(*CR).PrivateData = nil },
		invalid:   SubInvalidHandleCR,
	},
}

// objectTypeNames are the wire words alone, for encoders.
var objectTypeNames = func() (words [numObjectTypes + 1]string) {
	for t := range objectTypes {
		words[t] = objectTypes[t].word
	}
	words[TypeNode] = "node"
	return words
}()

// ObjectTypes returns every type of a DAT object.
func ObjectTypes() []ObjectType {
	all := make([]ObjectType, numObjectTypes)
	for i := range all {
		all[i] = ObjectType(i)
	}
	return all
}

// String returns the wire word.
func (o ObjectType) String() string { return nameOf(objectTypeNames[:], o) }

// MarshalText writes the wire word.
func (o ObjectType) MarshalText() ([]byte, error) { return textOf(objectTypeNames[:], o) }

// UnmarshalText reads the wire word; another word is an error.
func (o *ObjectType) UnmarshalText(b []byte) error { return parse(objectTypeNames[:], b, o) }

// Plural returns the word for several objects of the type, which is also the last
// part of the path of their list.
func (o ObjectType) Plural() string { return objectTypes[o].plural }

// Nameable reports whether a consumer creates the objects of the type and may
// give each a name of its own.
func (o ObjectType) Nameable() bool { return objectTypes[o].consumers }

// InvalidHandle returns the subtype of DAT_INVALID_HANDLE for the type.
func (o ObjectType) InvalidHandle() Subtype { return objectTypes[o].invalid }

// InUse returns the subtype of DAT_INVALID_STATE with which an object of the
// type refuses to be freed while others use it (D36), and what these are; it is
// SubNone where none can.
func (o ObjectType) InUse() (inUse Subtype, users string) {
	return objectTypes[o].inUse, objectTypes[o].users
}

// Limit returns what bounds the number of living objects of the type; ok is
// false where nothing does.
func (o ObjectType) Limit() (limit ObjectLimit, ok bool) {
	limit = objectTypes[o].limit
	return limit, limit.Max != nil
}

// Of points to the number of living objects of a type; nil for a type that is
// not counted.
func (u *IAUsage) Of(t ObjectType) *int {
	if usage := objectTypes[t].usage; usage != nil {
		return usage(u)
	}
	return nil
}

// RemakeOrder returns the types whose objects are made again when a device or
// the service comes back (T49), those that are used before those that use them.
func RemakeOrder() []ObjectType {
	order := slices.DeleteFunc(ObjectTypes(), func(t ObjectType) bool { return objectTypes[t].rank == 0 })
	slices.SortFunc(order, func(a, b ObjectType) int { return objectTypes[a].rank - objectTypes[b].rank })
	return order
}
