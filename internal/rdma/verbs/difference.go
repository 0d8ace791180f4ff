package verbs

import (
	"maps"
	"slices"
	"strings"

	"github.com/datapi/datapi/internal/dat"
)

// view is what an adapter shows of its port.
type view struct {
	state      dat.IAState
	detail     string
	attributes dat.IAAttributes
}

// numbered are the attributes of which a port has several, each under a number of its own:
// what counts is which there are.
var numbered = []string{"address_", "gid_"}

// values returns what can change while the device is open, by name. Of numbered attributes
// the name holds the value.
func (v *view) values() map[string]string {
	all := map[string]string{"state": v.state.String(), "detail": v.detail}
	if v.attributes.IAAddress != nil {
		all["ia_address"] = *v.attributes.IAAddress
	}
	for name, value := range v.attributes.TransportAttr {
		for _, prefix := range numbered {
			if strings.HasPrefix(name, prefix) {
				name, value = strings.TrimSuffix(prefix, "_")+" "+value, "there"
			}
		}
		all[name] = value
	}
	return all
}

// difference says to a person what differs between two views, "" where nothing does:
// `active_mtu 1024 is 4096 now, address 10.8.0.1/24 eth0.8 is there now`.
func difference(before, after view) string {
	was, is := before.values(), after.values()
	names := slices.Collect(maps.Keys(was))
	for name := range is {
		if _, ok := was[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var all []string
	for _, name := range names {
		switch old, now := was[name], is[name]; {
		case old == now || name == "detail" && was["state"] != is["state"]:
		case old == "":
			all = append(all, name+" is "+now+" now")
		case old == "there":
			all = append(all, name+" is gone")
		case now == "":
			all = append(all, name+" "+old+" is gone")
		default:
			all = append(all, name+" "+old+" is "+now+" now")
		}
	}
	if len(all) == 0 && !maps.Equal(before.attributes.TransportAttr, after.attributes.TransportAttr) {
		return "the order of the addresses is another now"
	}
	return strings.Join(all, ", ")
}

// state returns the state of an IA whose device is open, and where it is not well a
// sentence with the reason and the remedy.
func (f *portFacts) state() (dat.IAState, string) {
	switch {
	case f.noAnswer != "":
		return dat.IADown, "The port does not answer: " + f.noAnswer + "."
	case f.port.state != portActive:
		return dat.IADown, "The port is " + nameOf(portStates[:], f.port.state) + "; bring " + f.netdevWord() + " up."
	case len(f.local) == 0 && f.netdev == "" && nameOf(linkLayers[:], f.port.linkLayer) == "ETHERNET":
		return dat.IAUp, "No network device of the port is in the network namespace of this process: run the program in its namespace, or nothing can connect."
	case len(f.local) == 0:
		return dat.IAUp, "No IP address is on " + f.netdevWord() + ": give it one, or nothing can connect."
	}
	return dat.IAUp, ""
}

// netdevWord names the network device of the port to a person.
func (f *portFacts) netdevWord() string {
	if f.netdev == "" {
		return "its network device"
	}
	return "the network device " + f.netdev
}
