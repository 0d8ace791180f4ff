package api

import (
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/datapi/datapi/internal/api/document"
)

// guideRig returns a service with the guides of the repository and an empty page.
func guideRig(t *testing.T) *rig {
	t.Helper()
	return newRig(t, func(c *Config) {
		c.Guides, c.AdminToken = os.DirFS("../../docs"), "0123456789abcdef"
		c.Web = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	})
}

var (
	pageLink    = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	pageID      = regexp.MustCompile(` id="([^"]*)"`)
	pageHeading = regexp.MustCompile(`<h([1-6]) id="([^"]*)">(.*?)</h[1-6]>`)
	pageMain    = regexp.MustCompile(`(?s)<main>(.*)</main>`)
	pageTag     = regexp.MustCompile(`<[^>]*>`)
)

// crawl fetches every page and picture that /docs/ leads to, by its path.
func crawl(t *testing.T, r *rig) map[string]*httptest.ResponseRecorder {
	t.Helper()
	found := map[string]*httptest.ResponseRecorder{}
	for todo := []string{guidesPath}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		if found[at] != nil {
			continue
		}
		out := r.raw("GET", at)
		found[at] = out
		if !strings.HasPrefix(at, guidesPath) {
			continue
		}
		for _, m := range pageLink.FindAllStringSubmatch(out.Body.String(), -1) {
			if to, _, _ := strings.Cut(html.UnescapeString(m[1]), "#"); to != "" {
				todo = append(todo, to)
			}
		}
	}
	return found
}

func TestEveryLinkOfTheServedGuidesResolves(t *testing.T) {
	r := guideRig(t)
	found := crawl(t, r)
	linked := map[string]bool{guidesPath: true}
	for at, out := range found {
		if out.Code != 200 {
			t.Errorf("%s: %d", at, out.Code)
		}
		body := out.Body.String()
		main := pageMain.FindString(body)
		for _, m := range pageLink.FindAllStringSubmatch(body, -1) {
			to, fragment, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			if strings.HasPrefix(at, guidesPath) && fragment != "" {
				target := out
				if to != "" {
					target = found[to]
				}
				if target == nil || !strings.Contains(target.Body.String(), ` id="`+fragment+`"`) {
					t.Errorf("%s links to %s, which has no such heading", at, m[1])
				}
			}
			if strings.Contains(main, m[0]) && to != at {
				linked[to] = true
			}
		}
	}
	err := fs.WalkDir(os.DirFS("../../docs"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && slices.Contains([]string{".md", ".svg"}, path.Ext(name)) && !linked[guidePath(name)] {
			t.Errorf("no guide leads to %s", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestGuidesArePlainPages(t *testing.T) {
	r := guideRig(t)
	pages := 0
	for at, out := range crawl(t, r) {
		if !strings.HasPrefix(at, guidesPath) {
			continue
		}
		header, body := out.Header(), out.Body.String()
		if header.Get("ETag") == "" || header.Get("Cache-Control") != revalidate || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", at, header)
		}
		if again := r.raw("GET", at, with("If-None-Match", header.Get("ETag"))); again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("%s is not 304 for who has it: %d", at, again.Code)
		}
		if strings.HasSuffix(at, ".svg") {
			if header.Get("Content-Type") != "image/svg+xml" || strings.Contains(body, "<script") {
				t.Errorf("%s: %v", at, header)
			}
			continue
		}
		pages++
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", at, policy)
		}
		for _, unwanted := range []string{"<script", "style=", "onclick", `href="http`, `src="http`, `="//`, "raw HTML omitted"} {
			if strings.Contains(body, unwanted) {
				t.Errorf("%s has %s", at, unwanted)
			}
		}
		checkHeadings(t, at, pageMain.FindString(body))
	}
	if pages < 20 {
		t.Errorf("only %d guides are served", pages)
	}
}

// checkHeadings demands one title, no level left out, and ids of their own that a forge gives too.
func checkHeadings(t *testing.T, at, main string) {
	t.Helper()
	level := 0
	for i, m := range pageHeading.FindAllStringSubmatch(main, -1) {
		now := int(m[1][0] - '0')
		if (now == 1) != (i == 0) || now > level+1 {
			t.Errorf("%s: the heading %q is of level %d after %d", at, m[3], now, level)
		}
		level = now
		if want := forgeID(html.UnescapeString(pageTag.ReplaceAllString(m[3], ""))); m[2] != want {
			t.Errorf("%s: the heading %q has the id %q here and %q in a forge", at, m[3], m[2], want)
		}
	}
	seen := map[string]bool{}
	for _, m := range pageID.FindAllStringSubmatch(main, -1) {
		if seen[m[1]] {
			t.Errorf("%s has the id %s twice", at, m[1])
		}
		seen[m[1]] = true
	}
}

var notInID = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// forgeID returns the id that a Git forge gives a heading.
func forgeID(heading string) string {
	return strings.ReplaceAll(notInID.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func TestAGuideThatIsNoneIsAProblem(t *testing.T) {
	r := guideRig(t)
	for _, at := range []string{"/docs/nothing", "/docs/rules/nothing", "/docs/embed.go", "/docs/../go.mod", "/docs/rules/transitions.md"} {
		out := r.raw("GET", at)
		if out.Code != 404 || out.Header().Get("Content-Type") != document.MediaProblem {
			t.Errorf("%s: %d %s", at, out.Code, out.Header().Get("Content-Type"))
		}
	}
	if out := r.raw("GET", "/docs/rules"); out.Code != 301 || out.Header().Get("Location") != "/docs/rules/" {
		t.Errorf("/docs/rules: %d %s", out.Code, out.Header().Get("Location"))
	}
	if out := r.raw("HEAD", guidesPath); out.Code != 200 || out.Body.Len() != 0 {
		t.Errorf("HEAD: %d with %d bytes", out.Code, out.Body.Len())
	}
	if page := r.raw("GET", "/docs").Body.String(); !strings.Contains(page, `href="/docs/"`) {
		t.Error("the reference does not lead to the guides")
	}
	if out := newRig(t).raw("GET", guidesPath); out.Code != 404 {
		t.Errorf("without guides: %d", out.Code)
	}
}

// markdownFiles returns the pages of the repository, by their path in it.
func markdownFiles(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || name == ".git") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".md" && !entry.IsDir() {
			all[name], err = os.ReadFile(filepath.Join("../..", name))
		}
		return err
	})
	if err != nil || all["README.md"] == nil || all["docs/README.md"] == nil {
		t.Fatalf("the pages of the repository were not found: %v", err)
	}
	return all
}

func TestEveryLinkOfThePagesResolvesInTheRepository(t *testing.T) {
	files := markdownFiles(t)
	for file, source := range files {
		doc := markdown.Parser().Parse(text.NewReader(source))
		err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.Image:
				checkLink(t, files, file, string(n.Destination), "")
			case *ast.Link:
				checkLink(t, files, file, string(n.Destination), string(linkText(n, source)))
			}
			return ast.WalkContinue, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// linkText returns what a link shows.
func linkText(n ast.Node, source []byte) []byte {
	var all []byte
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			all = append(all, t.Segment.Value(source)...)
			continue
		}
		all = append(all, linkText(child, source)...)
	}
	return all
}

// checkLink demands that a link leads to a file of the repository and a heading of it. Where a guide leads out of
// docs its text is the path: that is all that is left of it when it is served.
func checkLink(t *testing.T, files map[string][]byte, file, link, shown string) {
	t.Helper()
	name, fragment, _ := strings.Cut(link, "#")
	if strings.Contains(name, "://") {
		return
	}
	target := file
	if name != "" {
		target = path.Join(path.Dir(file), name)
	}
	if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
		t.Errorf("%s links to %s, which is not there", file, link)
		return
	}
	if fragment != "" && !slices.Contains(headingIDs(files[target]), fragment) {
		t.Errorf("%s links to %s, which has no such heading", file, link)
	}
	if strings.HasPrefix(file, "docs/") && !strings.HasPrefix(target, "docs/") && target != "docs" && shown != "" && shown != target {
		t.Errorf("%s links to %s as %q; show the path, which is what is left when it is served", file, target, shown)
	}
}

func headingIDs(source []byte) []string {
	var ids []string
	for line := range strings.Lines(string(source)) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			ids = append(ids, forgeID(strings.ReplaceAll(strings.TrimSpace(title), "`", "")))
		}
	}
	return ids
}

func TestGuidesStandBesideAPageInTheOrderOfTheIndexes(t *testing.T) {
	r := guideRig(t)
	for at, first := range map[string][]string{
		"/docs/":       {"/docs/", "/docs/architecture", "/docs/rules/", "/docs/decisions/", "/docs/install", "/docs/running", "/docs/access", "/docs/security", "/docs/devices", "/docs/network", "/docs/hosts", "/docs/ha", "/docs/guarantees", "/docs/limits", "/docs/performance", "/docs/backup"},
		"/docs/rules/": {"/docs/", "/docs/architecture", "/docs/rules/", "/docs/rules/transitions", "/docs/rules/modify", "/docs/rules/creation"},
	} {
		list, _, _ := strings.Cut(r.raw("GET", at).Body.String(), "<h2>More</h2>")
		var shown []string
		for _, m := range pageLink.FindAllStringSubmatch(list, -1) {
			if strings.HasPrefix(m[1], guidesPath) {
				shown = append(shown, m[1])
			}
		}
		if len(shown) < len(first) || !slices.Equal(shown[:len(first)], first) {
			t.Errorf("%s shows the guides %v, not first %v", at, shown, first)
		}
	}
}
