package main

import (
	"slices"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// noun is a command and its verbs: a type of objects, the changes, the nodes, or a setting.
type noun struct {
	name    string
	objects string   // its plural, for help
	path    string   // of its collection, below /api/v1
	watched string   // the word that /changes knows it by; empty where nothing of it is recorded
	named   bool     // whether its objects may have names of their own
	single  bool     // whether there is one and no list
	columns []string // of its table, as dotted paths; a|b is b where a is null
	wide    []string // the further columns of -o wide
	hint    string   // the member that completion shows beside a name
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
	help   string // has the DAT call in parentheses where there is one
	answer answerKind
	query  []member
	body   []member
	// columns of a list whose rows are not of the noun.
	columns []string
	// input sends standard input, or the file of --file, unchanged.
	input bool
	// many: the call can be made for several objects, one after the other.
	many bool
	// needsReason: the call is refused without --reason.
	needsReason bool
	// past is what the line about a write that was done says of the object; without it the line says the object's state.
	past string
	// of is the noun of the object that the answer is, where that is another one.
	of string
	// secret is the member of the answer, as a dotted path, that is shown this once: it is printed alone on a line of its own.
	secret string
	// outcome judges the answer to a call that was told to wait; nil where there is nothing to wait for.
	outcome outcome
	// also are other names of the verb, suggested those of programs that people know better.
	also, suggested []string
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

// nounOf returns the noun of a type of object, with what packages dat and store know of the type.
func nounOf(t dat.ObjectType) noun {
	if t == dat.TypeNode {
		return nodeNoun
	}
	n := objectNouns[t]
	n.path, n.watched, n.named = "/"+t.Plural(), t.String(), t.Nameable()
	n.verbs = slices.Clone(n.verbs)
	for i := range n.verbs {
		if n.verbs[i].name == "list" {
			n.verbs[i].query = append(slices.Clone(n.verbs[i].query), memberSort.of(sortWords(t)...))
		}
	}
	return n
}

// sortWords returns what the lists of a type can be sorted by, ascending and descending.
func sortWords(t dat.ObjectType) []string {
	var all []string
	for _, name := range store.SortNames(t) {
		all = append(all, name, "-"+name)
	}
	return all
}

// nouns returns all nouns of the client.
func nouns() []noun {
	var all []noun
	for _, t := range dat.ObjectTypes() {
		all = append(all, nounOf(t))
	}
	return append(all, changeNoun, nodeNoun, retentionNoun, tokenNoun, userNoun, sessionNoun, auditNoun)
}

// Members that several verbs have.
var (
	memberIA     = field("ia", handle, "IA that the object belongs to, as soft0@node or, where one node has it, soft0").required()
	memberPZ     = field(dat.ParamPZ.String(), handle, dat.ParamPZ.Help())
	memberName   = field("name", text, "name of its own, unique among the living of its type")
	memberLabels = field("labels", pairs, "labels as key=value; key=null removes one")
	memberCookie = field("cookie", text, "returned with the completion")
	memberFlags  = field("completion_flags", words, "completion flags").of(enumWords[dat.CompletionFlag]()...)
	memberCount  = field("count", number, "how many")
	memberSize   = field("size", number, "bytes of each")
	memberBlob   = field("private_data", blob, "for the peer: text, or @file")
	memberPriv   = field("privileges", words, "privileges").of(enumWords[dat.Privilege]()...)
	memberOffset = field("offset", number, "first byte in the region")
	memberLength = field("length", number, "bytes")
	memberSort   = field("sort", text, "member to sort by")
)

// pageQuery are the parameters of everything that comes in pages.
var pageQuery = []member{
	field("limit", number, "rows of one answer, 1 to 1000"),
	field("cursor", text, "where the answer before ended"),
	field("offset", number, "rows to pass over"),
	field("total", toggle, "count all rows that fit, and say how many there are"),
	field("fields", text, "members to show, by comma"),
}

// listQuery returns the parameters of every list, and more: the filters of one.
func listQuery(more ...member) []member { return slices.Concat(pageQuery, more) }

// filter returns the flag of an equality on a listed member; it may be given several times.
func filter(wire, help string) member { return field(wire, words, "only these "+help) }

// filterOf returns the flag of a filter that names objects.
func filterOf(wire, help string) member { return field(wire, handles, "only those of these "+help) }

// Filters that most lists have.
var (
	filterIA    = filterOf("ia", "IAs")
	filterNode  = filterOf("node", "nodes")
	filterName  = filter("name", "names, with * for any letters")
	filterLabel = filter("label", "labels, as key=value")
)

// ofConsumers are the filters of the lists of what consumers create.
var ofConsumers = []member{filterIA, filterNode, filterName, filterLabel}

// listVerb, showVerb, createVerb and freeVerb are the calls that the types of objects share.
func listVerb(objects string, filters ...member) verb {
	return verb{name: "list", method: "GET", answer: list, query: listQuery(filters...), help: "List the " + objects, also: []string{"ls"}}
}

func showVerb(help string, query ...member) verb {
	return verb{
		name: "show", method: "GET", path: "/{id}", help: help, query: query, many: true,
		suggested: []string{"get", "describe", "query", "view"},
	}
}

func createVerb(help string, members ...member) verb {
	return verb{
		name: "create", method: "POST", help: help, body: append(members, memberName, memberLabels), past: "created",
		suggested: []string{"add", "new", "make"},
	}
}

func modifyVerb(help string, members ...member) verb {
	return verb{
		name: "modify", method: "PATCH", path: "/{id}", help: help, body: members, past: "modified", many: true,
		suggested: []string{"edit", "set", "patch", "update"},
	}
}

func freeVerb(help string) verb {
	return verb{
		name: "free", method: "DELETE", path: "/{id}", help: help, past: "freed", many: true,
		suggested: []string{"delete", "remove", "rm", "destroy"},
	}
}
