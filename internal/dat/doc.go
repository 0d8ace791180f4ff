// Package dat holds the rules of DAT as tables and the judges that read them:
// endpoint states and transitions, the modify matrix, creation rules,
// completion-flag rules on shared Event Dispatchers, watermarks, return codes,
// events, and the objects that those rules speak of.
//
// It is pure: no input or output, no clock, no goroutine, no lock. The caller of
// a judge serialises the access to the arguments.
//
// The tables are arrays that a few lines read; those of the rules are printed in
// testdata, to be compared with the man pages:
//
//	transitions     state × input → verdict           Judge
//	readiness       what an operation needs besides   Ready, Operations
//	params          the modify matrix                 CheckEPModify, CheckEPCreate, Modifiable,
//	                                                  Endpoint.Value, SameParams, Differences
//	valueKinds      what a kind of values has         Param.ReadValue
//	objectTypes     what a type of object has         ObjectType.New, ReadObject, RemakeOrder
//	modifiableIn    group × state                     Param.ModifiableIn
//	flagRules       flags on shared EVDs              EVDUse.Check
//	postings        limits of the post operations     CheckPost
//	watermarkRules  the rules of Watermarks in words
//
// Matrix hands them out as data. Rule numbers in comments, such as (T20), are
// written out in docs/rules; a name like dat_ep_create means the man page. Judges answer with *Error,
// which says what was wrong and what would be right.
package dat
