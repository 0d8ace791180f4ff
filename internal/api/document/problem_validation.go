package document

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// kindsOfHuma are the kinds of the problems that huma makes by itself, by its status. Any other status of huma's is
// an internal error.
var kindsOfHuma = map[int]string{
	http.StatusBadRequest:            KindInvalidRequest,
	http.StatusNotAcceptable:         KindNotAcceptable,
	http.StatusRequestTimeout:        KindSlowBody,
	http.StatusRequestEntityTooLarge: KindTooLarge,
	http.StatusUnsupportedMediaType:  KindMediaType,
	http.StatusUnprocessableEntity:   KindInvalidMember,
}

// InternalDetail is the detail of an internal error: it tells nothing of the cause, which is in the log.
const InternalDetail = "The service failed; the log has more under this request id."

// FromHuma returns the problem of an error that huma makes by itself: it binds and validates parameters and bodies.
// What is wrong outside the body is 400, what is wrong in it 422.
func FromHuma(status int, msg string, errs []error) *Problem {
	kind, known := kindsOfHuma[status]
	if !known {
		return NewProblem(KindInternal, InternalDetail)
	}
	places := placesOf(errs)
	if kind == KindInvalidMember && !anyInBody(places) {
		kind = KindInvalidRequest
	}
	p := NewProblem(kind, detailOf(msg, places))
	p.Errors = places
	p.Field = firstMember(places)
	return p
}

// placesOf returns the wrong places that huma found, the first maxPlaces of them; values that are long or whole bodies
// are left out.
func placesOf(errs []error) []ProblemError {
	places := []ProblemError{}
	for _, err := range errs {
		if len(places) == maxPlaces {
			break
		}
		detail := &huma.ErrorDetail{}
		if d, ok := err.(huma.ErrorDetailer); ok {
			detail = d.ErrorDetail()
		}
		if detail.Message == "" {
			continue
		}
		place := ProblemError{Location: shortened(detail.Location), Message: detail.Message}
		switch v := detail.Value.(type) {
		case bool, float64, int64:
			place.Value = v
		case string:
			if len(v) <= 100 && detail.Location != "body" {
				place.Value = v
			}
		}
		places = append(places, place)
	}
	return places
}

func anyInBody(places []ProblemError) bool {
	for _, p := range places {
		if strings.HasPrefix(p.Location, "body") {
			return true
		}
	}
	return false
}

// detailOf returns the detail of a problem with several wrong places; msg stands for it if there is none.
func detailOf(msg string, places []ProblemError) string {
	if len(places) == 0 {
		return strings.ToUpper(msg[:1]) + msg[1:] + "."
	}
	more := ""
	if len(places) > 1 {
		more = fmt.Sprintf(" (and %d more, see errors)", len(places)-1)
	}
	return places[0].Location + ": " + places[0].Message + more + "."
}

// firstMember returns the member that the first of the places is, without the part of the request that it is in, or
// nil where the place is the whole body.
func firstMember(places []ProblemError) *string {
	if len(places) == 0 {
		return nil
	}
	if _, member, ok := strings.Cut(places[0].Location, "."); ok {
		return &member
	}
	return nil
}
