// Package docs holds the guides: Markdown pages and their pictures, which the service hands out under /docs/ and a
// forge shows as they lie here.
package docs

import "embed"

// FS holds the guides by their paths in this folder (`README.md`, `rules/transitions.md`, `journeys/patch.svg`). The
// screenshots of the page, which only the README of the repository shows, are not among them.
//
//go:embed *.md rules/*.md decisions/*.md journeys/*.svg
var FS embed.FS
