package access

import (
	"maps"
	"slices"
	"strings"
)

// Scope restricts a principal to some of the objects. Where a member is empty it does not restrict; where both are given
// both must hold. A nil *Scope is everything.
type Scope struct {
	// IAs are ids of adapters (soft0@alpha), or their names (soft0), which mean those of every node.
	IAs []string `json:"ias"`
	// Labels must all be on an object, each with its value.
	Labels map[string]string `json:"labels"`
}

// NewScope returns the scope of adapters and labels, nil where neither restricts.
func NewScope(ias []string, labels map[string]string) *Scope {
	if len(ias) == 0 && len(labels) == 0 {
		return nil
	}
	s := &Scope{IAs: slices.Sorted(slices.Values(ias)), Labels: maps.Clone(labels)}
	s.IAs = slices.Compact(s.IAs)
	if s.IAs == nil {
		s.IAs = []string{}
	}
	if s.Labels == nil {
		s.Labels = map[string]string{}
	}
	return s
}

// Holds reports whether an object of an adapter, with these labels of its own, lies in the scope. An adapter is an object
// of itself.
func (s *Scope) Holds(ia string, labels map[string]string) bool {
	if s == nil {
		return true
	}
	if !s.HoldsIA(ia) {
		return false
	}
	for key, value := range s.Labels {
		if got, there := labels[key]; !there || got != value {
			return false
		}
	}
	return true
}

// HoldsIA reports whether objects of an adapter can lie in the scope.
func (s *Scope) HoldsIA(ia string) bool {
	if s == nil || len(s.IAs) == 0 {
		return true
	}
	name, _, _ := strings.Cut(ia, "@")
	return slices.Contains(s.IAs, ia) || slices.Contains(s.IAs, name)
}

// Equal reports whether two scopes are the same.
func (s *Scope) Equal(other *Scope) bool {
	if s == nil || other == nil {
		return s == other
	}
	return slices.Equal(s.IAs, other.IAs) && maps.Equal(s.Labels, other.Labels)
}
