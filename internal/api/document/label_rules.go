package document

import (
	"regexp"

	"github.com/danielgtaylor/huma/v2"
)

// The bounds of an object's labels. Labels are kept in memory, in every version of the object, and sent with it.
const (
	// MaxLabels is how many labels an object may have.
	MaxLabels = 64
	// maxLabelValue is how many bytes the value of a label may have.
	maxLabelValue = 255
)

// propertyNamesKey is the keyword of JSON Schema for the names of an object's members, maxBytesKey the document's own
// for the length of a text in UTF-8, where maxLength counts characters.
const (
	propertyNamesKey = "propertyNames"
	maxBytesKey      = "x-max-bytes"
)

// nameRule is the schema of the names that an object's members may have.
type nameRule struct {
	Pattern     string `json:"pattern" yaml:"pattern"`
	Description string `json:"description" yaml:"description"`

	compiled *regexp.Regexp
}

func (r *nameRule) matches(name string) bool { return r.compiled.MatchString(name) }

// labelKey is the rule for the keys of labels.
var labelKey = func() *nameRule {
	const pattern = `^[a-zA-Z0-9._/-]{1,63}$`
	return &nameRule{Pattern: pattern, Description: "The key of a label has 1 to 63 of a-z A-Z 0-9 . _ - /.", compiled: regexp.MustCompile(pattern)}
}()

// boundLabels gives the labels of a request their bounds; a patch may take all labels away and set as many.
func boundLabels(s *huma.Schema) {
	limit := MaxLabels
	if s.Nullable {
		limit *= 2
	}
	s.MaxProperties = &limit
	s.Extensions = map[string]any{propertyNamesKey: labelKey}
	if value, ok := s.AdditionalProperties.(*huma.Schema); ok {
		length := maxLabelValue // in characters, of which each has a byte or more
		value.MaxLength = &length
		value.Extensions = map[string]any{maxBytesKey: maxLabelValue}
		value.PrecomputeMessages()
	}
	s.PrecomputeMessages()
}
