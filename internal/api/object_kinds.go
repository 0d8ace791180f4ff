package api

import (
	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// objectKind is what the API knows of one type of objects.
type objectKind struct {
	// path is that of the type's list, below /api/v1; an object's own is path/{id}.
	path string
	// schema is the component of the document that describes an object.
	schema string
	// subtype is that of the refusal of an id that no object has; DAT has none for an EVD whose use is not known.
	subtype dat.Subtype
	// isID reports whether a text can be the id of an object.
	isID func(string) bool
	// changesUnversioned reports that the objects have members that change without a new version, so that no cache may
	// keep a copy.
	changesUnversioned bool
	// hasSecrets reports that not every reader sees the same members of an object, so that no cache may keep a copy.
	hasSecrets bool
	// use returns how many objects an adapter has and can have; nil where no adapter's attribute limits them.
	use func(*dat.IA) (used, limit int)
}

// objectKinds has a row for every type of objects: a new type is a new row.
var objectKinds = [...]objectKind{
	dat.TypeIA: {
		path: "/ias", schema: "IA", subtype: dat.SubInvalidHandleIA, isID: isAdapterID, changesUnversioned: true,
	},
	dat.TypePZ: {
		path: "/pzs", schema: "PZ", subtype: dat.SubInvalidHandlePZ, isID: isUUID,
		use: func(ia *dat.IA) (int, int) { return ia.Usage.PZs, int(ia.IAAttributes.MaxPZs) },
	},
	dat.TypeEVD: {
		path: "/evds", schema: "EVD", isID: isUUID, changesUnversioned: true,
		use: func(ia *dat.IA) (int, int) { return ia.Usage.EVDs, int(ia.IAAttributes.MaxEVDs) },
	},
	dat.TypeSRQ: {
		path: "/srqs", schema: "SRQ", subtype: dat.SubInvalidHandleSRQ, isID: isUUID, changesUnversioned: true,
		use: func(ia *dat.IA) (int, int) { return ia.Usage.SRQs, int(ia.IAAttributes.MaxSRQs) },
	},
	dat.TypeLMR: {
		path: "/lmrs", schema: "LMR", subtype: dat.SubInvalidHandleLMR, isID: isUUID, hasSecrets: true,
		use: func(ia *dat.IA) (int, int) { return ia.Usage.LMRs, int(ia.IAAttributes.MaxLMRs) },
	},
	dat.TypeRMR: {
		path: "/rmrs", schema: "RMR", subtype: dat.SubInvalidHandleRMR, isID: isUUID, hasSecrets: true,
		use: func(ia *dat.IA) (int, int) { return ia.Usage.RMRs, int(ia.IAAttributes.MaxRMRs) },
	},
	dat.TypeEndpoint: {
		path: "/endpoints", schema: "Endpoint", subtype: dat.SubInvalidHandleEP, isID: isUUID, changesUnversioned: true,
		use: func(ia *dat.IA) (int, int) { return ia.Usage.Endpoints, int(ia.IAAttributes.MaxEPs) },
	},
	dat.TypePSP: {path: "/psps", schema: "PSP", subtype: dat.SubInvalidHandlePSP, isID: isUUID},
	dat.TypeRSP: {path: "/rsps", schema: "RSP", subtype: dat.SubInvalidHandleRSP, isID: isUUID},
	dat.TypeCR:  {path: "/crs", schema: "CR", subtype: dat.SubInvalidHandleCR, isID: isUUID, hasSecrets: true},
}

// isAdapterID takes any text but the empty one: an adapter's id is its name, @, and its node's name.
func isAdapterID(id string) bool { return id != "" }

func isUUID(id string) bool {
	_, err := uuid.Parse(id)
	return err == nil && len(id) == 36 // Parse knows other forms
}

// noSuch returns the refusal of an id in the path that no object has.
func noSuch(t dat.ObjectType) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidHandle, Subtype: objectKinds[t].subtype,
		Detail: "There is no such " + t.String() + " (any more). GET " + basePath + objectKinds[t].path + " lists those that live.",
	}
}

// isID reports whether a text can be the id of an object of the type.
func isID(t dat.ObjectType, id string) bool { return objectKinds[t].isID(id) }
