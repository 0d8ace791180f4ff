package document

import (
	"encoding/json"
	"strings"
)

// openAPI30 makes OpenAPI 3.0 of a document of version 3.1, both as JSON: null becomes `nullable`, examples one
// example, and the streams and the rules for names of members, which 3.0 cannot describe, are left out.
func openAPI30(spec []byte) ([]byte, error) {
	var tree map[string]any
	if err := json.Unmarshal(spec, &tree); err != nil {
		return nil, err
	}
	tree["openapi"] = "3.0.3"
	if paths, ok := tree["paths"].(map[string]any); ok {
		for path := range paths {
			if strings.HasSuffix(path, "/stream") {
				delete(paths, path)
			}
		}
	}
	if info, ok := tree["info"].(map[string]any); ok {
		if license, ok := info["license"].(map[string]any); ok {
			delete(license, "identifier")
		}
	}
	downgrade(tree)
	return json.Marshal(tree)
}

// downgrade rewrites a node of the document and all nodes below it.
func downgrade(node any) {
	switch n := node.(type) {
	case []any:
		for _, below := range n {
			downgrade(below)
		}
	case map[string]any:
		downgradeType(n)
		downgradeUnion(n)
		if examples, ok := n["examples"].([]any); ok && len(examples) > 0 {
			n["example"] = examples[0]
			delete(n, "examples")
		}
		if n["contentEncoding"] == "base64" {
			n["format"] = "byte"
			delete(n, "contentEncoding")
		}
		delete(n, "contentMediaType")
		delete(n, "propertyNames")
		for _, below := range n {
			downgrade(below)
		}
	}
}

// downgradeType turns `type: [string, "null"]` into a nullable string.
func downgradeType(n map[string]any) {
	types, ok := n["type"].([]any)
	if !ok {
		return
	}
	for _, t := range types {
		if t == "null" {
			n["nullable"] = true
		} else {
			n["type"] = t
		}
	}
}

// downgradeUnion turns `anyOf: [X, null]` into a nullable X.
func downgradeUnion(n map[string]any) {
	union, ok := n["anyOf"].([]any)
	if !ok {
		return
	}
	rest := []any{}
	for _, one := range union {
		if m, ok := one.(map[string]any); ok && m["type"] == "null" {
			n["nullable"] = true
			continue
		}
		rest = append(rest, one)
	}
	delete(n, "anyOf")
	if len(rest) > 1 {
		n["anyOf"] = rest
		return
	}
	n["allOf"] = rest
}
