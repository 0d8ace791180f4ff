package store

import (
	"encoding/json"

	"github.com/datapi/datapi/internal/dat"
)

// redact removes from a change what no change shows, as the log is for everybody who reads.
func redact(c *dat.Change) {
	c.Before, c.After = withoutSecrets(c.Object.Type, c.Before), withoutSecrets(c.Object.Type, c.After)
}

// withoutSecrets returns a recorded object, or the part of one that a change has, with null for what no change shows.
func withoutSecrets(t dat.ObjectType, object json.RawMessage) json.RawMessage {
	if int(t) >= len(kinds) || len(kinds[t].secrets) == 0 || !isObject(object) {
		return object
	}
	var all members
	if json.Unmarshal(object, &all) != nil {
		return nil // it cannot be told what it shows
	}
	for _, name := range kinds[t].secrets {
		if _, there := all[name]; there {
			all[name] = json.RawMessage("null")
		}
	}
	shown, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return shown
}
