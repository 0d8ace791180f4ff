package dat

import "encoding/json"

// New returns an object of the type that JSON can be read into: each member has
// the value that it has in a record that lacks it, because the record was
// written before the member was added. Counts and sizes of an endpoint are not
// bounded by its IA.
func (o ObjectType) New() Object { return objectTypes[o].empty() }

// ReadObject returns the recorded object in JSON. Members that the JSON lacks
// have the values of New.
func ReadObject(t ObjectType, body []byte) (Object, error) {
	o := t.New()
	if err := json.Unmarshal(body, o); err != nil {
		return nil, err
	}
	return o, nil
}

// ClearLive empties the members of an object that are filled in when it is read
// and never recorded.
func ClearLive(o Object) {
	if empty := objectTypes[o.Type()].clearLive; empty != nil {
		empty(o)
	}
}

func emptyMeta() Meta { return Meta{Labels: map[string]string{}} }

func emptyIA() Object {
	return &IA{
		Meta:         emptyMeta(),
		IAAttributes: IAAttributes{TransportAttr: map[string]string{}, VendorAttr: map[string]string{}},
		ProviderAttributes: ProviderAttributes{
			LMRMemTypesSupported: []MemType{}, DATQOSSupported: []QOS{}, CompletionFlagsSupported: []CompletionFlag{},
			EVDStreamMergingSupported: StreamMatrix{}, ProviderSpecificAttr: map[string]string{},
		},
		EndpointDefaults: NoEndpointDefaults(),
	}
}

func emptyEndpoint() Object {
	return &Endpoint{
		Meta: emptyMeta(), Attributes: defaultAttributes(nil),
		Watermarks: Watermarks{SoftHigh: WatermarkInfinite, HardHigh: WatermarkInfinite},
	}
}

func clearLiveEVD(o Object) {
	e := o.(*EVD)
	e.Depth, e.Dropped, e.Mode, e.InUseBy = 0, 0, ModeNone, EVDUsers{}
}

func clearLiveSRQ(o Object) {
	s := o.(*SRQ)
	s.AvailableDTOCount, s.OutstandingDTOCount = nil, nil
}
