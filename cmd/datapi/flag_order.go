package main

import (
	"slices"
	"strings"
)

// movableFlags are the flags of every call that may stand before the command too, with whether a value follows them.
var movableFlags = map[string]bool{
	"--url": true, "--token-file": true, "--ca-file": true, "--output": true, "-o": true, "--no-headers": false,
}

// flagsLast returns the arguments with the flags of every call that stand before the command's words, or between them,
// moved behind the others: `datapi --url … ep list` is `datapi ep list --url …`.
func flagsLast(args []string) []string {
	var moved []string
	for i := 0; i < len(args) && i < 2; {
		name, _, inOne := strings.Cut(args[i], "=")
		takesValue, movable := movableFlags[name]
		switch {
		case !strings.HasPrefix(args[i], "-"):
			i++
			continue
		case !movable:
			return slices.Concat(args, moved) // cobra says what is wrong
		}
		end := i + 1
		if takesValue && !inOne && end < len(args) {
			end++
		}
		moved = append(moved, args[i:end]...)
		args = slices.Delete(slices.Clone(args), i, end)
	}
	end := slices.Index(args, "--") // what comes after it is no flag
	if end < 0 {
		end = len(args)
	}
	return slices.Insert(slices.Clone(args), end, moved...)
}
