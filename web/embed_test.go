package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
)

// decoders undo each encoding that the handler may choose; "" is the plain form.
var decoders = map[string]func([]byte) ([]byte, error){
	"": func(b []byte) ([]byte, error) { return b, nil },
	"gzip": func(b []byte) ([]byte, error) {
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	},
	"zstd": func(b []byte) ([]byte, error) {
		r, err := zstd.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	},
}

func get(t *testing.T, h http.Handler, target string, header map[string]string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func read(t *testing.T, answer *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// built is a page as a build makes it, small enough to reason about.
func built() http.Handler {
	return newHandler(fstest.MapFS{
		"index.html":         {Data: []byte("<!doctype html>" + strings.Repeat("<p>entry</p>", 50))},
		"placeholder.html":   {Data: []byte("<h1>not built</h1>")},
		"assets/app-1a2b.js": {Data: []byte(strings.Repeat("export const a = 1;\n", 50))},
	})
}

func TestEveryEmbeddedFileArrivesWholeInEveryEncoding(t *testing.T) {
	h := Handler()
	err := fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) == placeholderFile {
			return err
		}
		want, err := fs.ReadFile(dist, name)
		if err != nil {
			return err
		}
		if contentTypes[path.Ext(name)] == "" {
			t.Errorf("%s: its kind has no content type; add it to contentTypes", name)
		}
		for encoding, decode := range decoders {
			answer := get(t, h, "/"+strings.TrimPrefix(name, "dist/"), map[string]string{"Accept-Encoding": encoding})
			got, err := decode([]byte(read(t, answer)))
			if answer.Header.Get("Content-Encoding") == "" && encoding != "" {
				got, err = want, nil // too small to gain by it: sent plain, which the plain round compares
			}
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s as %q: status %d, %d bytes for %d, %v", name, encoding, answer.StatusCode, len(got), len(want), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryReferenceOfTheEntryResolves(t *testing.T) {
	h := Handler()
	answer := get(t, h, "/", nil)
	page := read(t, answer)
	if answer.StatusCode == http.StatusServiceUnavailable {
		if !strings.Contains(page, "not built") {
			t.Fatal("without a build the placeholder must say so")
		}
		return
	}
	for _, match := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(match[1], "/") {
			t.Errorf("%s leaves the service", match[1])
		} else if got := get(t, h, match[1], nil); got.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", match[1], got.StatusCode)
		}
	}
	if regexp.MustCompile(`<script>|<script type="module">|<style|style="|\son\w+="`).MatchString(page) {
		t.Error("the entry has an inline script or style, which its own policy forbids")
	}
}

func TestPathsOfTheRouterGetTheEntry(t *testing.T) {
	for target, accept := range map[string]string{
		"/": "", "/index.html": "", "/endpoints": "", "/endpoints/0193": "", "/ias/soft0@alpha": "",
		"/ias/soft0@alpha.example.org": "text/html,application/xhtml+xml",
	} {
		answer := get(t, built(), target, map[string]string{"Accept": accept})
		if answer.StatusCode != http.StatusOK || !strings.Contains(read(t, answer), "entry") {
			t.Errorf("%s: status %d, want the entry", target, answer.StatusCode)
		}
		if got := answer.Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control %q, want no-cache", target, got)
		}
	}
}

// Promise 14: who looks for what other services have forgotten on their hosts finds nothing.
func TestPathsWithoutAScreenAreNotFound(t *testing.T) {
	for _, target := range []string{"/assets/gone-9f.js", "/assets/gone", "/robots.txt", "/.git/config", "/.env", "/nosuch", "/ias/a/b", "/wp-admin/", "/placeholder.html"} {
		for _, accept := range []string{"", "*/*", "text/html"} {
			answer := get(t, built(), target, map[string]string{"Accept": accept})
			if answer.StatusCode != http.StatusNotFound {
				t.Errorf("%s for %q: status %d, want 404", target, accept, answer.StatusCode)
			}
			page := accept == "text/html" && !strings.HasPrefix(target, "/assets/")
			if strings.Contains(read(t, answer), "entry") != page {
				t.Errorf("%s for %q: the page's own answer is for browsers, and for no file", target, accept)
			}
		}
	}
}

func TestTheScreensAreThoseOfThePage(t *testing.T) {
	source, err := os.ReadFile("src/app/routes.ts")
	if err != nil {
		t.Fatal(err)
	}
	var routed []string
	for _, match := range regexp.MustCompile(`createRoute\(\{[^}]*\bpath: "([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		routed = append(routed, regexp.MustCompile(`\$\w+`).ReplaceAllString(match[1], "$$"))
	}
	slices.Sort(routed)
	if served := slices.Sorted(slices.Values(screens)); !slices.Equal(routed, served) {
		t.Errorf("the page has the screens\n%q\nand these are served\n%q", routed, served)
	}
}

func TestHashedFilesMayBeKeptForAYear(t *testing.T) {
	answer := get(t, built(), "/assets/app-1a2b.js", map[string]string{"Accept-Encoding": "gzip, zstd;q=0"})
	if got := answer.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("Cache-Control %q", got)
	}
	if got := answer.Header.Get("Content-Encoding"); got != "gzip" {
		t.Errorf("Content-Encoding %q, want gzip: zstd was refused", got)
	}
	again := get(t, built(), "/assets/app-1a2b.js", map[string]string{
		"Accept-Encoding": "gzip", "If-None-Match": answer.Header.Get("ETag"),
	})
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("status %d for its own ETag, want 304", again.StatusCode)
	}
}

func TestEveryAnswerOfThePageCarriesThePolicy(t *testing.T) {
	for _, target := range []string{"/", "/assets/app-1a2b.js", "/assets/gone.js"} {
		header := get(t, built(), target, nil).Header
		if header.Get("Content-Security-Policy") != ContentSecurityPolicy || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", target, header)
		}
	}
	if strings.Contains(ContentSecurityPolicy, "unsafe") {
		t.Error("the policy allows something unsafe")
	}
}

func TestOnlyReadsAreAnswered(t *testing.T) {
	w := httptest.NewRecorder()
	built().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/endpoints", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("status %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

func TestWithoutABuildTheBrowserIsTold(t *testing.T) {
	h := newHandler(fstest.MapFS{"placeholder.html": {Data: []byte("<h1>not built</h1>")}})
	answer := get(t, h, "/endpoints", nil)
	if answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(read(t, answer), "not built") {
		t.Errorf("status %d", answer.StatusCode)
	}
}
