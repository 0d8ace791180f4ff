package main

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// memberFlag is the value of a member's flag (pflag.Value). It holds the words as they were written; those of a choice
// in any case, as the service knows them.
type memberFlag struct {
	member
	word string
	list []string
}

// isList reports whether the flag takes several words.
func (m member) isList() bool { return m.kind == words || m.kind == pairs || m.kind == handles }

// String returns the word, or the words by comma.
func (f *memberFlag) String() string {
	if f.isList() {
		return strings.Join(f.list, ",")
	}
	return f.word
}

// Type returns what the help calls the value.
func (f *memberFlag) Type() string { return kindTypes[f.kind] }

// Set takes a word, or adds the words of a list.
func (f *memberFlag) Set(word string) error {
	if !f.isList() {
		f.word = f.spelled(word)
		return nil
	}
	if word == "" {
		return nil
	}
	list, err := csv.NewReader(strings.NewReader(word)).Read()
	if err != nil {
		return err
	}
	for _, one := range list {
		f.list = append(f.list, f.spelled(one))
	}
	return nil
}

// spelled returns a choice as the service writes it, and another word as it is.
func (f *memberFlag) spelled(word string) string {
	for _, choice := range f.choices {
		if strings.EqualFold(choice, word) {
			return choice
		}
	}
	return word
}

// momentOf returns a time as the API reads it from what people write: RFC 3339, a day, a duration before now (10m, 2h, 3d),
// or the number of a change.
func momentOf(word string, now time.Time) (string, error) {
	if _, err := strconv.ParseUint(word, 10, 63); err == nil {
		return word, nil
	}
	if _, err := time.Parse(time.RFC3339, word); err == nil {
		return word, nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05"} {
		if t, err := time.ParseInLocation(layout, word, now.Location()); err == nil {
			return t.UTC().Format(time.RFC3339), nil
		}
	}
	ago := strings.TrimPrefix(word, "-")
	if days, ok := strings.CutSuffix(ago, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)).UTC().Format(time.RFC3339Nano), nil
		}
	}
	if d, err := time.ParseDuration(ago); err == nil && d >= 0 {
		return now.Add(-d).UTC().Format(time.RFC3339Nano), nil
	}
	return "", fmt.Errorf("%q is no time; write it as 2026-01-31T12:00:00Z, 2026-01-31, or as 10m, 2h or 3d before now", word)
}
