// Package web holds the page of datapi and serves it over HTTP.
//
// The page is built by Vite into dist, which is embedded. A committed placeholder lies there too, so that the
// program compiles before the page was built, and then says so in the browser.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

//go:embed all:dist
var dist embed.FS

// ContentSecurityPolicy is what every answer of the page allows a browser to load: this origin alone, no inline
// script, no inline style, no frame around it.
const ContentSecurityPolicy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const (
	entryFile       = "index.html"
	placeholderFile = "placeholder.html"
	hashedFolder    = "assets/"
)

// contentTypes are the kinds of file that a build makes. A test fails when a build makes another one, because the
// table of the host must not decide which type a file is sent with.
var contentTypes = map[string]string{
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".woff2": "font/woff2",
	".json":  "application/json",
	".txt":   "text/plain; charset=utf-8",
}

// incompressible names the kinds that are compressed already.
var incompressible = map[string]bool{".png": true, ".woff2": true}

// encoding is one way to send a file; the array lists them in the order of preference.
type encoding struct {
	name     string
	compress func([]byte) ([]byte, error)
}

var encodings = []encoding{{"zstd", zstdBest}, {"gzip", gzipBest}}

// file is an embedded file with its encoded forms, each made at its first use and kept.
type file struct {
	name    string
	plain   []byte
	etag    string
	encoded map[string]func() []byte
}

// Handler serves the page: the files of the build, and the entry for the paths of the page's screens, because the page's
// own router reads those. Other paths are 404. Hashed files may be kept for a year, the entry must be asked for anew each time. Only GET
// and HEAD are answered; the handler holds no lock and may be used by any number of requests at once.
func Handler() http.Handler {
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is part of the program: this cannot happen to a binary that was linked
	}
	return newHandler(root)
}

func newHandler(root fs.FS) http.Handler {
	files := map[string]*file{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(root, name)
		files[name] = newFile(name, body)
		return err
	})
	if err != nil {
		panic(err) // reading embedded files does not fail
	}
	return &handler{files: files}
}

type handler struct{ files map[string]*file }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", ContentSecurityPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "the page answers GET and HEAD only", http.StatusMethodNotAllowed)
		return
	}
	clean := path.Clean("/" + r.URL.Path)
	name := strings.TrimPrefix(clean, "/")
	if f := h.files[name]; f != nil && name != placeholderFile {
		f.serve(w, r, http.StatusOK)
		return
	}
	status := http.StatusOK
	if !isScreen(clean) {
		status = http.StatusNotFound
	}
	switch entry := h.files[entryFile]; {
	case status != http.StatusOK && (entry == nil || !wantsPage(name, r)):
		http.Error(w, "there is no such file", http.StatusNotFound)
	case entry == nil:
		h.files[placeholderFile].serve(w, r, http.StatusServiceUnavailable)
	default:
		entry.serve(w, r, status)
	}
}

// wantsPage reports whether a person asks for a path without a screen: the page then says so itself.
func wantsPage(name string, r *http.Request) bool {
	return !strings.HasPrefix(name, hashedFolder) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// screens are the addresses of the page's screens, as web/src/app/routes.ts has them; $ stands for any id. A test holds
// the two equal.
var screens = []string{
	"/", "/ias", "/ias/$", "/endpoints", "/endpoints/new", "/endpoints/$", "/connections", "/pzs", "/pzs/$", "/evds", "/evds/$",
	"/srqs", "/srqs/$", "/lmrs", "/lmrs/$", "/rmrs", "/rmrs/$", "/changes", "/nodes", "/access",
}

// isScreen reports whether the page has a screen at a path, which is clean.
func isScreen(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(screens, func(screen string) bool {
		return slices.EqualFunc(strings.Split(screen, "/"), parts, func(want, part string) bool {
			return want == part || want == "$" && part != ""
		})
	})
}

func newFile(name string, body []byte) *file {
	sum := sha256.Sum256(body)
	f := &file{name: name, plain: body, etag: hex.EncodeToString(sum[:12]), encoded: map[string]func() []byte{}}
	if incompressible[path.Ext(name)] {
		return f
	}
	for _, e := range encodings {
		f.encoded[e.name] = sync.OnceValue(func() []byte {
			small, err := e.compress(body)
			if err != nil || len(small) >= len(body) {
				return nil
			}
			return small
		})
	}
	return f
}

func (f *file) serve(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	header.Set("Content-Type", contentTypes[path.Ext(f.name)])
	header.Set("Vary", "Accept-Encoding")
	if strings.HasPrefix(f.name, hashedFolder) {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		header.Set("Cache-Control", "no-cache")
	}
	body, etag := f.plain, f.etag
	for _, e := range encodings {
		if !accepts(r.Header.Get("Accept-Encoding"), e.name) || f.encoded[e.name] == nil {
			continue
		}
		if small := f.encoded[e.name](); small != nil {
			header.Set("Content-Encoding", e.name)
			body, etag = small, f.etag+"-"+e.name
			break
		}
	}
	header.Set("ETag", `"`+etag+`"`)
	if status == http.StatusOK && strings.Contains(r.Header.Get("If-None-Match"), `"`+etag+`"`) {
		header.Del("Content-Type")
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = io.Copy(w, bytes.NewReader(body)) // the browser closed the connection; there is nobody to tell
	}
}

// accepts reads an Accept-Encoding header: the encoding is named, and not with a weight of zero.
func accepts(header, name string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if !strings.EqualFold(strings.TrimSpace(coding), name) {
			continue
		}
		weight, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(params, " ", ""), "q="), 64)
		return err != nil || weight > 0
	}
	return false
}

func gzipBest(body []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

func zstdBest(body []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(body, nil), w.Close()
}
