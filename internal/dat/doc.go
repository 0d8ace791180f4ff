// Package dat holds the rules of DAT as tables and the judges that read them:
// endpoint states and transitions, the modify matrix, creation rules,
// completion-flag rules on shared Event Dispatchers, watermarks, return codes,
// events, and the objects that those rules speak of.
//
// It is pure: no input or output, no clock, no goroutine, no lock. Whoever
// calls a judge serialises the access to what it hands over.
package dat
