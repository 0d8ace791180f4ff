package main

// noun is a type of object with its verbs.
type noun struct {
	name    string
	objects string   // its plural, for help
	path    string   // of its collection
	watched string   // the word that /changes knows it by; empty where nothing of it is recorded
	columns []string // of its table, as dotted paths
	verbs   []verb
}

// answerKind says what a verb's answer is and how it is shown.
type answerKind uint8

const (
	one    answerKind = iota // an object, or nothing
	list                     // {items, next_cursor}
	octets                   // the bytes as they are
)

// verb is one call of the API.
type verb struct {
	name   string
	method string
	path   string // below /api/v1; {…} are the positional arguments
	help   string // begins with the DAT call where there is one
	answer answerKind
	query  []member
	body   []member
	// columns of a list whose rows are not of the noun.
	columns []string
	// input sends standard input, or the file that --file names, as it is.
	input bool
}

// nouns are the client's commands, in the order of the API's page.
var nouns = []noun{
	iaNoun, epNoun, pzNoun, evdNoun, srqNoun, lmrNoun, rmrNoun, pspNoun, rspNoun, crNoun, changeNoun, nodeNoun,
}

// Members that several verbs have.
var (
	memberIA     = member{"ia", text, true, "IA that the object belongs to, as soft0@node"}
	memberPZ     = member{"pz", handle, false, "protection zone, or null"}
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

// listQuery are the parameters of every list; more are the filters of one.
func listQuery(more ...member) []member {
	return append([]member{
		{"limit", number, false, "rows of one answer, 1 to 1000"},
		{"cursor", text, false, "where the answer before ended"},
		{"offset", number, false, "rows to pass over"},
		{"sort", text, false, "member to sort by; -member for descending"},
		{"fields", text, false, "members to show, by comma"},
	}, more...)
}

// filter is an equality on a listed member; it may be given several times.
func filter(wire, help string) member { return member{wire, words, false, "only these: " + help} }

// Filters that most lists have.
var (
	filterIA    = filter("ia", "IA ids")
	filterNode  = filter("node", "node names")
	filterName  = filter("name", "names, with * for any letters")
	filterLabel = filter("label", "label as key=value")
)

// listVerb, showVerb, createVerb and freeVerb are the calls that the types of objects share.
func listVerb(path, objects string, filters ...member) verb {
	return verb{name: "list", method: "GET", path: path, answer: list, query: listQuery(filters...), help: "List the " + objects}
}

func showVerb(path, help string) verb {
	return verb{name: "show", method: "GET", path: path + "/{id}", help: help}
}

func createVerb(path, help string, members ...member) verb {
	return verb{name: "create", method: "POST", path: path, help: help, body: append(members, memberName, memberLabels)}
}

func freeVerb(path, help string) verb {
	return verb{name: "free", method: "DELETE", path: path + "/{id}", help: help}
}
