package main

import "github.com/datapi/datapi/internal/dat"

// noun is a command and its verbs: a type of objects, the changes, the nodes, or a setting.
type noun struct {
	name    string
	objects string   // its plural, for help
	path    string   // of its collection, below /api/v1
	watched string   // the word that /changes knows it by; empty where nothing of it is recorded
	named   bool     // whether its objects may have names of their own
	single  bool     // whether there is one and no list
	columns []string // of its table, as dotted paths; a|b is b where a is null
	verbs   []verb
}

// answerKind says what a verb's answer is and how it is printed.
type answerKind uint8

const (
	one    answerKind = iota // an object, or nothing
	list                     // {items, next_cursor}
	octets                   // the bytes, unchanged
)

// verb is one call of the API.
type verb struct {
	name   string
	method string
	path   string // below that of the noun; {…} are the positional arguments
	help   string // begins with the DAT call where there is one
	answer answerKind
	query  []member
	body   []member
	// columns of a list whose rows are not of the noun.
	columns []string
	// input sends standard input, or the file of --file, unchanged.
	input bool
}

// objectNouns has a row for each type of object: a new type is a new row.
var objectNouns = [...]noun{
	dat.TypeIA:       iaNoun,
	dat.TypePZ:       pzNoun,
	dat.TypeEVD:      evdNoun,
	dat.TypeSRQ:      srqNoun,
	dat.TypeLMR:      lmrNoun,
	dat.TypeRMR:      rmrNoun,
	dat.TypeEndpoint: epNoun,
	dat.TypePSP:      pspNoun,
	dat.TypeRSP:      rspNoun,
	dat.TypeCR:       crNoun,
}

// nounOf returns the noun of a type of object, with what package dat knows of the type.
func nounOf(t dat.ObjectType) noun {
	n := objectNouns[t]
	n.path, n.watched, n.named = "/"+t.Plural(), t.String(), t.Nameable()
	return n
}

// nouns returns all nouns of the client.
func nouns() []noun {
	var all []noun
	for _, t := range dat.ObjectTypes() {
		all = append(all, nounOf(t))
	}
	return append(all, changeNoun, nodeNoun, retentionNoun)
}

// Members that several verbs have.
var (
	memberIA     = member{"ia", text, true, "IA that the object belongs to, as soft0@node"}
	memberPZ     = member{dat.ParamPZ.String(), handle, false, dat.ParamPZ.Help()}
	memberName   = member{"name", text, false, "name of its own, unique among the living of its type"}
	memberLabels = member{"labels", pairs, false, "labels as key=value"}
	memberCookie = member{"cookie", text, false, "returned with the completion"}
	memberFlags  = member{"completion_flags", words, false, "SUPPRESS, SOLICITED_WAIT, UNSIGNALLED, BARRIER_FENCE"}
	memberCount  = member{"count", number, false, "how many"}
	memberSize   = member{"size", number, false, "bytes of each"}
	memberBlob   = member{"private_data", blob, false, "for the peer: text, or @file"}
	memberPriv   = member{"privileges", words, false, "LOCAL_READ, LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE"}
	memberOffset = member{"offset", number, false, "first byte in the region"}
	memberLength = member{"length", number, false, "bytes"}
)

// listQuery returns the parameters of every list, and more: the filters of one.
func listQuery(more ...member) []member {
	return append([]member{
		{"limit", number, false, "rows of one answer, 1 to 1000"},
		{"cursor", text, false, "where the answer before ended"},
		{"offset", number, false, "rows to pass over"},
		{"sort", text, false, "member to sort by; -member for descending"},
		{"fields", text, false, "members to show, by comma"},
	}, more...)
}

// filter returns the flag of an equality on a listed member; it may be given several times.
func filter(wire, help string) member { return member{wire, words, false, "only these: " + help} }

// Filters that most lists have.
var (
	filterIA    = filter("ia", "IA ids")
	filterNode  = filter("node", "node names")
	filterName  = filter("name", "names, with * for any letters")
	filterLabel = filter("label", "label as key=value")
)

// ofConsumers are the filters of the lists of what consumers create.
var ofConsumers = []member{filterIA, filterNode, filterName, filterLabel}

// listVerb, showVerb, createVerb and freeVerb are the calls that the types of objects share.
func listVerb(objects string, filters ...member) verb {
	return verb{name: "list", method: "GET", answer: list, query: listQuery(filters...), help: "List the " + objects}
}

func showVerb(help string) verb {
	return verb{name: "show", method: "GET", path: "/{id}", help: help}
}

func createVerb(help string, members ...member) verb {
	return verb{name: "create", method: "POST", help: help, body: append(members, memberName, memberLabels)}
}

func freeVerb(help string) verb {
	return verb{name: "free", method: "DELETE", path: "/{id}", help: help}
}
