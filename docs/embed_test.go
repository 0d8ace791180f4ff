package docs

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"
)

func TestEveryPageAndDrawingIsEmbedded(t *testing.T) {
	found := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".md", ".svg"}, path.Ext(name)) {
			return err
		}
		found++
		if _, err := fs.Stat(FS, name); err != nil {
			t.Errorf("%s is not embedded: name its folder in embed.go", name)
		}
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("%d guides were found: %v", found, err)
	}
}
