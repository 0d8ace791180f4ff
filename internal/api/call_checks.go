package api

import (
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/datapi/datapi/internal/api/document"
)

// checkCall returns the middleware of a call: what holds for every call before its own input is read, which is the
// type of the answer, the query, the form of If-Match, the body's type and size, and the Idempotency-Key.
func (a *API) checkCall(r route) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		request, w := humachi.Unwrap(ctx)
		if p := a.checkRight(r, request); p != nil {
			writeProblem(w, request, p)
			return
		}
		if p := a.firstRefusal(r, request, ctx.Operation()); p != nil {
			writeProblem(w, request, p)
			return
		}
		if p := a.refuseOutside(request); p != nil {
			a.noteOutside(request.Context(), r.id, p)
			writeProblem(w, request, p)
			return
		}
		if a.passOn(r, ctx) {
			return
		}
		a.answerOnce(r, ctx, func(ctx huma.Context) { a.validateBody(ctx, next) })
	}
}

// validateBody refuses a body that is not what the document says. It comes after the Idempotency-Key, which is then used
// up: it stands for a body.
func (a *API) validateBody(ctx huma.Context, next func(huma.Context)) {
	request, w := humachi.Unwrap(ctx)
	if checked := requestOf(request.Context()).checked; checked != nil {
		if p := a.schemas.Validate(checked); p != nil {
			writeProblem(w, request, p)
			return
		}
	}
	next(ctx)
}

// firstRefusal returns the first problem of the request's form, or nil if there is none; the cheapest test comes
// first.
func (a *API) firstRefusal(r route, request *http.Request, op *huma.Operation) *document.Problem {
	if p := checkAccept(request, r); p != nil {
		return p
	}
	if p := checkQuery(request, a.queries[r.id], r.mayBeEmpty); p != nil {
		return p
	}
	if p := readDryRun(request); p != nil {
		return p
	}
	if p := readForward(request); p != nil {
		return p
	}
	if p := joinIfMatch(request.Header); p != nil {
		return p
	}
	if p := a.readBody(request, r, op); p != nil {
		return p
	}
	return refuseUnsigned(request)
}

// checkAccept refuses an Accept header that the answer cannot meet. Problems are sent whatever was asked for, as RFC
// 9457 allows.
func checkAccept(request *http.Request, r route) *document.Problem {
	accept := request.Header.Values("Accept")
	if len(accept) == 0 {
		return nil
	}
	for one := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		wanted, params, err := mime.ParseMediaType(one)
		if err != nil || strings.TrimLeft(params["q"], "0.") == "" && params["q"] != "" {
			continue
		}
		meets := func(media string) bool {
			kind, _, _ := strings.Cut(media, "/")
			return wanted == "*/*" || wanted == kind+"/*" || wanted == media
		}
		if meets(r.media()) || slices.ContainsFunc(r.otherMedia, meets) {
			return nil
		}
	}
	return document.NewProblem(document.KindNotAcceptable, "This call answers with "+strings.Join(append([]string{r.media()}, r.otherMedia...), " or ")+". Send Accept with it or with */*, or leave Accept out.")
}

// acceptedOf returns the first media type of a header Accept that is one of the given ones, "" for none.
func acceptedOf(header string, media ...string) string {
	for one := range strings.SplitSeq(header, ",") {
		if wanted, _, err := mime.ParseMediaType(one); err == nil && slices.Contains(media, wanted) {
			return wanted
		}
	}
	return ""
}

// maxRepeated is how often a parameter may be repeated: each value is a condition of its own for the database.
const maxRepeated = 200

// queryRules are the query parameters that a call has.
type queryRules struct {
	// names are sorted.
	names []string
	// repeated reports for each name whether the parameter may be given more than once.
	repeated map[string]bool
}

func queryRulesOf(op *huma.Operation) queryRules {
	rules := queryRules{repeated: map[string]bool{}}
	for _, p := range op.Parameters {
		if p.In == "query" {
			rules.names = append(rules.names, p.Name)
			rules.repeated[p.Name] = p.Explode != nil && *p.Explode
		}
	}
	slices.Sort(rules.names)
	return rules
}

// checkQuery refuses parameters that are unknown, empty, or given twice: none is ever ignored.
func checkQuery(request *http.Request, rules queryRules, mayBeEmpty []string) *document.Problem {
	if request.URL.RawQuery == "" {
		return nil
	}
	query, err := url.ParseQuery(request.URL.RawQuery)
	if err != nil {
		return document.NewProblem(document.KindInvalidRequest, "The query of the URL is not well formed: percent-encode what is special, and separate with &.")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if must := rules.check(name, query[name], mayBeEmpty); must != "" {
			return wrongQuery(name, must)
		}
	}
	return nil
}

// check returns what a parameter must be, or "" where it is right.
func (q queryRules) check(name string, values, mayBeEmpty []string) string {
	repeated, known := q.repeated[name]
	if !known {
		if len(q.names) == 0 {
			return "is unknown: this call has no query parameters"
		}
		return "is unknown: this call knows " + strings.Join(q.names, ", ")
	}
	if len(values) > 1 && !repeated {
		return "must be given once"
	}
	if len(values) > maxRepeated {
		return "must be given at most " + strconv.Itoa(maxRepeated) + " times"
	}
	for _, v := range values {
		if v == "" && !slices.Contains(mayBeEmpty, name) {
			return "must have a value, or be left out"
		}
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			return "must be UTF-8 text without NUL"
		}
	}
	return ""
}
