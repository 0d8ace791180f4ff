package internal_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// emptyNames are names that say nothing about what is in a package or a file; a package called so would gather whatever
// has no other place.
var (
	emptyNames    = []string{"util", "utils", "common", "helper", "helpers", "misc", "types"}
	emptyPackages = append([]string{"models", "service"}, emptyNames...)
)

// states are the constants of dat.EPState.
var states = []string{
	"EPUnconnected", "EPUnconfiguredUnconnected", "EPReserved", "EPUnconfiguredReserved", "EPPassiveConnectionPending",
	"EPUnconfiguredPassive", "EPActiveConnectionPending", "EPTentativeConnectionPending", "EPUnconfiguredTentative",
	"EPConnected", "EPDisconnectPending", "EPDisconnected", "EPCompletionPending", "EPConnectedSinglePath", "EPConnectedMultiPath",
}

func TestNamesOfPackagesAndFilesSaySomething(t *testing.T) {
	for _, s := range sources(t) {
		file := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
		if slices.Contains(emptyNames, file) {
			t.Errorf("%s: the name of the file says nothing", s.path)
		}
		if slices.Contains(emptyPackages, s.file.Name.Name) {
			t.Errorf("%s: the package name %s says nothing", s.path, s.file.Name.Name)
		}
	}
}

func TestNoTestIsPassedOver(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if ok && s.isTest() && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
				t.Errorf("%s: a test that lacks what it needs fails, it is not skipped", s.at(n))
			}
			return true
		})
	}
}

func TestOnlyTheTablesOfDATChooseByState(t *testing.T) {
	for _, s := range sources(t) {
		if s.dir() == "internal/dat" || s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			clause, ok := n.(*ast.CaseClause)
			if !ok {
				return true
			}
			for _, e := range clause.List {
				sel, ok := e.(*ast.SelectorExpr)
				if ok && isName(sel.X, "dat") && slices.Contains(states, sel.Sel.Name) {
					t.Errorf("%s chooses by dat.%s; that wants to be a column of a table in package dat", s.at(clause), sel.Sel.Name)
				}
			}
			return true
		})
	}
}
