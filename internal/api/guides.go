package api

import (
	"bytes"
	_ "embed" // the page around a guide
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/datapi/datapi/internal/api/document"
)

// guidesPath is where the guides are served; /docs itself is the reference of the API.
const guidesPath = "/docs/"

// indexFile is the page of a folder: README.md is served as /docs/, rules/README.md as /docs/rules/.
const indexFile = "README.md"

// pictureTypes are the kinds of picture that guides show.
var pictureTypes = map[string]string{".svg": "image/svg+xml", ".png": "image/png"}

// markdown is CommonMark with tables and an id for each heading. HTML in a page is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

//go:embed guides.html
var guideHTML string

// guidePage is the page around a guide.
var guidePage = template.Must(template.New("guide").Parse(guideHTML))

// guide is one page of the guides.
type guide struct {
	Path, Title string
	// file is its name among the guides.
	file   string
	source []byte
}

// guidesOf renders Markdown files as pages and takes the pictures beside them as they are. The keys of the result are
// the paths that they are served at; the error is one of reading the files.
func guidesOf(files fs.FS) (map[string]servedDocument, error) {
	served := map[string]servedDocument{}
	var guides []guide
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if kind, picture := pictureTypes[path.Ext(name)]; picture {
			served[guidePath(name)] = newDocument(body, kind)
		}
		if path.Ext(name) == ".md" {
			guides = append(guides, guide{Path: guidePath(name), Title: titleOf(body), file: name, source: body})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	guides = inReadingOrder(guides)
	for _, g := range guides {
		page, err := g.page(files, guides)
		if err != nil {
			return nil, err
		}
		served[g.Path] = newDocument(page, "text/html; charset=utf-8")
	}
	return served, nil
}

// Below reports whether the page lies in a folder below the index.
func (g guide) Below() bool {
	return path.Dir(g.file) != "." && path.Base(g.file) != indexFile
}

// inReadingOrder returns the guides in the order in which the index links to them; below the index of a folder follow
// the pages of that folder, in the order of its links. Pages that no index links to come last, by their paths.
func inReadingOrder(guides []guide) []guide {
	rest := map[string]guide{}
	for _, g := range guides {
		rest[g.file] = g
	}
	var ordered []guide
	var visit func(name string)
	visit = func(name string) {
		g, ok := rest[name]
		if !ok {
			return
		}
		delete(rest, name)
		ordered = append(ordered, g)
		if path.Base(name) != indexFile {
			return
		}
		for _, to := range g.linkedFiles() {
			if path.Dir(to) == path.Dir(name) || path.Base(to) == indexFile {
				visit(to)
			}
		}
	}
	visit(indexFile)
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		ordered = append(ordered, rest[name])
	}
	return ordered
}

// linkedFiles returns the names of the files that a guide links to, in its order.
func (g guide) linkedFiles() []string {
	var names []string
	doc := markdown.Parser().Parse(text.NewReader(g.source))
	// The walk has no error: the function below returns none.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			name, _, _ := strings.Cut(string(link.Destination), "#")
			names = append(names, path.Join(path.Dir(g.file), name))
		}
		return ast.WalkContinue, nil
	})
	return names
}

// neighbours returns the guides that a page shows beside it: all but those in other folders.
func (g guide) neighbours(all []guide) []guide {
	var shown []guide
	for _, other := range all {
		if !other.Below() || path.Dir(other.file) == path.Dir(g.file) {
			shown = append(shown, other)
		}
	}
	return shown
}

// guidePath returns the path that a file of the guides is served at.
func guidePath(name string) string {
	if path.Base(name) == indexFile {
		return guidesPath + strings.TrimSuffix(name, indexFile)
	}
	return guidesPath + strings.TrimSuffix(name, ".md")
}

// titleOf returns the first line of a page without its mark.
func titleOf(source []byte) string {
	line, _, _ := bytes.Cut(source, []byte("\n"))
	return strings.TrimSpace(strings.TrimLeft(string(line), "#"))
}

// page renders a guide beside the links to its neighbours.
func (g guide) page(files fs.FS, all []guide) ([]byte, error) {
	doc := markdown.Parser().Parse(text.NewReader(g.source))
	if err := g.rewriteLinks(files, doc); err != nil {
		return nil, err
	}
	var body, page bytes.Buffer
	if err := markdown.Renderer().Render(&body, g.source, doc); err != nil {
		return nil, err
	}
	err := guidePage.Execute(&page, map[string]any{
		"Title": g.Title, "Path": g.Path, "Guides": g.neighbours(all), "Body": template.HTML(body.String()), // our own pages, made by a renderer that escapes
	})
	return page.Bytes(), err
}

// rewriteLinks makes links between the files of the guides links between their pages. What lies elsewhere in the
// repository is not served: of such a link the text stays, which is its path.
func (g guide) rewriteLinks(files fs.FS, doc ast.Node) error {
	var outside []*ast.Link
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			n.Destination, _ = g.servedLink(files, n.Destination)
		case *ast.Link:
			to, ok := g.servedLink(files, n.Destination)
			if !ok {
				outside = append(outside, n)
			}
			n.Destination = to
		}
		return ast.WalkContinue, nil
	})
	for _, link := range outside {
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			link.Parent().InsertBefore(link.Parent(), link, child)
		}
		link.Parent().RemoveChild(link.Parent(), link)
	}
	return err
}

// servedLink returns where a link leads when it is served; ok is false if that is not among the guides.
func (g guide) servedLink(files fs.FS, link []byte) (to []byte, ok bool) {
	name, fragment, marked := strings.Cut(string(link), "#")
	if name == "" || strings.Contains(name, "://") {
		return link, true
	}
	name = path.Join(path.Dir(g.file), name)
	if info, err := fs.Stat(files, name); err != nil || info.IsDir() {
		return link, false
	}
	if marked {
		fragment = "#" + fragment
	}
	return []byte(guidePath(name) + fragment), true
}

// noGuide answers for paths below /docs/ that are no guide. Where only the slash of a folder is missing it is added.
func (a *API) noGuide(w http.ResponseWriter, r *http.Request) {
	if _, folder := a.docs[r.URL.Path+"/"]; folder {
		http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently)
		return
	}
	writeProblem(w, r, document.NewProblem(document.KindNoRoute, "There is no guide "+strconv.Quote(r.URL.Path)+". "+guidesPath+" lists all."))
}
