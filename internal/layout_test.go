// Package internal_test holds the shape of the program: who may import whom, and what may stand where.
package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/datapi/datapi"

// row says what a package may import of ours: its code, and beyond that its tests.
type row struct {
	code  []string
	tests []string
}

// layout is the table of packages. A package that is not in it is one too many.
var layout = map[string]row{
	"internal":               {},
	"internal/dat":           {},
	"internal/rdma":          {code: []string{"internal/dat"}},
	"internal/rdma/feed":     {},
	"internal/rdma/soft":     {code: []string{"internal/dat", "internal/faultpoint", "internal/rdma", "internal/rdma/feed"}, tests: []string{"internal/manager", "internal/rdma/rdmatest"}},
	"internal/rdma/verbs":    {code: []string{"internal/dat", "internal/rdma", "internal/rdma/feed"}, tests: []string{"internal/manager", "internal/rdma/rdmatest"}},
	"internal/manager":       {code: []string{"internal/dat", "internal/rdma"}, tests: []string{"internal/rdma/soft", "internal/rdma/rdmatest"}},
	"internal/rdma/rdmatest": {code: []string{"internal/dat", "internal/rdma", "internal/manager"}, tests: []string{"internal/rdma/soft"}},
	"internal/access":        {},
	"internal/store":         {code: []string{"internal/access", "internal/dat", "internal/faultpoint", "migrations"}},
	"internal/faultpoint":    {},
	"internal/faults":        {},
	"internal/api": {
		code:  []string{"internal/access", "internal/api/document", "internal/dat", "internal/manager", "internal/store"},
		tests: []string{"internal/rdma", "internal/rdma/soft", "internal/rdma/rdmatest", "web"},
	},
	"internal/api/document": {code: []string{"internal/dat"}},
	"web":                   {},
	"docs":                  {},
	"migrations":            {},
	"cmd/datapi": {code: []string{
		"internal/access", "internal/dat", "internal/rdma", "internal/rdma/soft", "internal/rdma/verbs", "internal/manager", "internal/store", "internal/api",
		"web", "docs", "migrations",
	}},
}

// clock are the functions of package time that look at a clock.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Sleep"}

// source is one parsed file; its path is relative to the root, with slashes.
type source struct {
	path string
	set  *token.FileSet
	file *ast.File
}

func (s source) dir() string  { return path.Dir(s.path) }
func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// at names a place in the file.
func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.set.Position(n.Pos()).Line)
}

// imports are the paths that the file imports.
func (s source) imports(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, i := range s.file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// sources parses every Go file of the repository, whatever its build tags.
func sources(t *testing.T) []source {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var all []source
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil // a file that went while the tree was read
			}
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "node_modules" || name == "dist" || name == "testdata" || (strings.HasPrefix(name, ".") && p != root)) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(p) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, p)
		all = append(all, source{filepath.ToSlash(relative), set, file})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d files were found below %s", len(all), root)
	}
	return all
}

func TestPackagesImportOnlyWhatTheLayoutAllows(t *testing.T) {
	for _, s := range sources(t) {
		if strings.HasPrefix(s.path, "scripts/") {
			continue // programs of the test machines, not of the service
		}
		may, ok := layout[s.dir()]
		if !ok {
			t.Errorf("%s: package %s is not in the layout", s.path, s.dir())
			continue
		}
		allowed := append([]string{s.dir()}, may.code...)
		if s.isTest() {
			allowed = append(allowed, may.tests...)
		}
		for _, p := range s.imports(t) {
			ours, isOurs := strings.CutPrefix(p, module+"/")
			if isOurs && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s; %s may import %v", s.path, ours, s.dir(), allowed[1:])
			}
		}
	}
}

func TestOnlyOneFileSpeaksC(t *testing.T) {
	for _, s := range sources(t) {
		inVerbs := s.path == "internal/rdma/verbs/cgo.go"
		if slices.Contains(s.imports(t), "C") && !inVerbs && !strings.HasPrefix(s.path, "scripts/") {
			t.Errorf("%s imports C; only internal/rdma/verbs/cgo.go may", s.path)
		}
	}
}

func TestTheRulesOfDATAreFreeOfTheWorld(t *testing.T) {
	for _, s := range sources(t) {
		if s.dir() != "internal/dat" || s.isTest() {
			continue
		}
		for _, p := range s.imports(t) {
			if p == "net/netip" {
				continue // addresses as values; it opens nothing
			}
			if p == "os" || p == "net" || strings.HasPrefix(p, "os/") || strings.HasPrefix(p, "net/") || strings.Contains(p, ".") {
				t.Errorf("%s imports %s; package dat knows the standard library without os and net", s.path, p)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine; package dat starts none", s.at(n))
			case *ast.SelectorExpr:
				if isName(n.X, "time") && slices.Contains(clock, n.Sel.Name) {
					t.Errorf("%s looks at the clock (time.%s); package dat is told the time", s.at(n), n.Sel.Name)
				}
			}
			return true
		})
	}
}

// humaRegisters are the functions of huma that register a call.
var humaRegisters = []string{"Register", "AutoRegister", "Get", "Post", "Put", "Patch", "Delete", "Head"}

func TestOneDoorLeadsToHuma(t *testing.T) {
	doors := 0
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok || !isName(sel.X, "huma") || !slices.Contains(humaRegisters, sel.Sel.Name) {
					return true
				}
				function, ok := decl.(*ast.FuncDecl)
				if !ok || function.Name.Name != "register" || s.path != "internal/api/register.go" {
					t.Errorf("%s registers a call; every operation goes through register of internal/api/register.go", s.at(n))
				}
				doors++
				return true
			})
		}
	}
	if doors != 1 {
		t.Errorf("huma.Register is called in %d places, want 1", doors)
	}
}

// isName tells whether an expression is a plain name.
func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
