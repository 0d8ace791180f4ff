package document

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
)

//go:embed pages
var pageFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{"anchor": anchor}).ParseFS(pageFiles, "pages/*.html"))

// ProblemPage returns the page that explains a kind of problem, or where kind is empty the list of all kinds; ok is
// false for a kind that there is not.
func ProblemPage(kind string) (page []byte, ok bool) {
	row, known := problemRows[kind]
	if kind != "" && !known {
		return nil, false
	}
	data := map[string]any{"All": ProblemKinds(), "Name": kind}
	if known {
		data["Title"], data["About"], data["Status"] = row.title, row.explanation, row.status
		data["StatusText"] = http.StatusText(row.status)
	}
	return mustExecute("problem.html", data), true
}

// mustExecute renders a template of this package with data that fits it.
func mustExecute(name string, data any) []byte {
	var page bytes.Buffer
	if err := pages.ExecuteTemplate(&page, name, data); err != nil {
		panic(err) // the template and its data are part of the program
	}
	return page.Bytes()
}
