package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Change is one row of the log as the service tells it.
type Change struct {
	ID     int64  `json:"id"`
	At     string `json:"at"`
	Object struct {
		Type string  `json:"type"`
		ID   string  `json:"id"`
		Name *string `json:"name"`
	} `json:"object"`
	Cause      string   `json:"cause"`
	RequestID  string   `json:"request_id"`
	Outcome    string   `json:"outcome"`
	Fields     []string `json:"fields"`
	Before     object   `json:"before"`
	After      object   `json:"after"`
	Version    int64    `json:"version"`
	RevertedTo *int64   `json:"reverted_to"`
}

// isEffective reports whether the change changed its object: a refusal does not.
func (c *Change) isEffective() bool { return c.Before != nil || c.After != nil }

// isEnd reports whether the change ended its object.
func (c *Change) isEnd() bool { return c.Before != nil && c.After == nil }

// collections are the resources that hold recorded objects, by the type of object.
var collections = map[string]string{
	"ia": "/ias", "pz": "/pzs", "evd": "/evds", "srq": "/srqs", "lmr": "/lmrs", "rmr": "/rmrs", "endpoint": "/endpoints",
	"psp": "/psps", "rsp": "/rsps", "cr": "/crs",
}

// Picture is what the service shows while nobody writes: the whole log, and every
// living object as a GET of it answers.
type Picture struct {
	// Log has all changes, the oldest first; Replay is what it makes of the objects.
	Log    []Change
	Replay *Replay
	// Objects are the living objects by id; Types their types.
	Objects map[string]object
	Types   map[string]string
	// Statuses are the live states of the endpoints.
	Statuses map[string]object
}

// takePicture reads everything.
func takePicture(ctx context.Context, c *Client) (*Picture, error) {
	p := &Picture{Objects: map[string]object{}, Types: map[string]string{}, Statuses: map[string]object{}}
	err := c.readAll(ctx, "/changes?order=asc&limit=1000", func(item json.RawMessage) error {
		var change Change
		if err := json.Unmarshal(item, &change); err != nil {
			return err
		}
		p.Log = append(p.Log, change)
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.Replay = replay(p.Log)
	for kind, path := range collections {
		var ids []string
		if err := c.readAll(ctx, path+"?limit=1000&fields=id", func(item json.RawMessage) error {
			var o struct{ ID string }
			err := json.Unmarshal(item, &o)
			ids = append(ids, o.ID)
			return err
		}); err != nil {
			return nil, err
		}
		for _, id := range ids {
			status, o := c.read(ctx, path+"/"+url.PathEscape(id))
			if status != http.StatusOK {
				return nil, fmt.Errorf("%s %s is in the list and cannot be read: %d %v", kind, id, status, o["detail"])
			}
			p.Objects[id], p.Types[id] = o, kind
			if kind != "endpoint" {
				continue
			}
			if status, o = c.read(ctx, path+"/"+id+"/status"); status != http.StatusOK {
				return nil, fmt.Errorf("the status of endpoint %s cannot be read: %d %v", id, status, o["detail"])
			}
			p.Statuses[id] = o
		}
	}
	return p, nil
}

// readAll reads all pages of a list.
func (c *Client) readAll(ctx context.Context, path string, take func(json.RawMessage) error) error {
	for cursor := ""; ; {
		status, _, body, loss := c.send(ctx, &Call{Method: http.MethodGet, Path: path + cursor}, c.prefix+"-list")
		var page struct {
			Items      []json.RawMessage `json:"items"`
			NextCursor *string           `json:"next_cursor"`
			Detail     string            `json:"detail"`
		}
		if status == 0 {
			return fmt.Errorf("GET %s: no answer: %s", path, loss)
		}
		if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
			return fmt.Errorf("GET %s: %d %s", path, status, page.Detail)
		}
		for _, item := range page.Items {
			if err := take(item); err != nil {
				return err
			}
		}
		if page.NextCursor == nil {
			return nil
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
}

// Replay is what a log makes of the objects.
type Replay struct {
	// Living are the objects that live at the end, by id.
	Living map[string]object
	// Versions are the versions of each object that the log makes, by id.
	Versions map[string]map[int64]object
	// After is, in the place of each change, its object as it is after that; nil where it
	// does not live.
	After []object
}

// replay carries the changes of a log out.
func replay(log []Change) *Replay {
	r := &Replay{Living: map[string]object{}, Versions: map[string]map[int64]object{}, After: make([]object, len(log))}
	for i := range log {
		c := &log[i]
		id := c.Object.ID
		if c.Object.Type == "node" { // no object: it tells the moves of a host
			continue
		}
		if c.isEnd() {
			delete(r.Living, id)
		} else if c.isEffective() {
			if c.Before == nil {
				r.Versions[id] = map[int64]object{}
			}
			r.Living[id] = applied(c, r.Living[id])
			if all := r.Versions[id]; all != nil {
				all[c.Version] = r.Living[id]
			}
		}
		r.After[i] = r.Living[id]
	}
	return r
}

// applied returns the object that a change makes of the one before it.
func applied(c *Change, before object) object {
	if c.Before == nil {
		return copyObject(c.After)
	}
	o := copyObject(before)
	for _, field := range c.Fields {
		setField(o, c.After, field)
	}
	o["version"], o["updated_at"] = float64(c.Version), c.At
	return o
}

// setField takes a dotted member of a change into an object.
func setField(o, after object, field string) {
	if v, ok := after[field]; ok {
		o[field] = v
		return
	}
	outer, inner, _ := strings.Cut(field, ".")
	from, ok := after[outer].(object)
	if !ok {
		return
	}
	into, ok := o[outer].(object)
	if !ok {
		into = object{}
		o[outer] = into
	}
	into[inner] = from[inner]
}

// copyObject copies a decoded object deeply.
func copyObject(o object) object {
	out := make(object, len(o))
	for name, v := range o {
		if inner, ok := v.(object); ok {
			v = copyObject(inner)
		}
		out[name] = v
	}
	return out
}
