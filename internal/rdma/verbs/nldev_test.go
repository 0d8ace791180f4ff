package verbs

import (
	"maps"
	"testing"

	"github.com/mdlayher/netlink"
	"github.com/mdlayher/netlink/nltest"
)

// kernel answers each command with messages of the attributes that its functions encode.
func kernel(t *testing.T, answers map[netlink.HeaderType][]func(*netlink.AttributeEncoder)) *netlink.Conn {
	t.Helper()
	c := nltest.Dial(func(requests []netlink.Message) ([]netlink.Message, error) {
		request := requests[0].Header
		header := netlink.Header{Sequence: request.Sequence, PID: request.PID}
		var all []netlink.Message
		for _, encode := range answers[request.Type] {
			e := netlink.NewAttributeEncoder()
			encode(e)
			data, err := e.Encode()
			if err != nil {
				return nil, err
			}
			all = append(all, netlink.Message{Header: header, Data: data})
		}
		return nltest.Multipart(append(all, netlink.Message{Header: header}))
	})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestTheKernelsCountsAreReadByDevice(t *testing.T) {
	device := func(name string, qps, mrs uint64) func(*netlink.AttributeEncoder) {
		return func(e *netlink.AttributeEncoder) {
			e.Uint32(attrDevIndex, 1)
			e.String(attrDevName, name)
			e.Nested(attrSummary, func(e *netlink.AttributeEncoder) error {
				for kind, n := range map[string]uint64{"qp": qps, "mr": mrs} {
					e.Nested(attrSummaryEntry, func(e *netlink.AttributeEncoder) error {
						e.String(attrEntryName, kind)
						e.Uint64(attrEntryCurrent, n)
						return nil
					})
				}
				return nil
			})
		}
	}
	c := kernel(t, map[netlink.HeaderType][]func(*netlink.AttributeEncoder){
		nldevResourceGet: {device("siw0", 7, 8), device("rxe0", 2, 3)},
	})
	got, err := countsOf(c, "rxe0")
	if want := map[string]uint64{"qp": 2, "mr": 3}; err != nil || !maps.Equal(got, want) {
		t.Errorf("the counts are %v, %v, want %v", got, err, want)
	}
}

func TestThePortsOfADeviceHaveTheirNetworkDevices(t *testing.T) {
	c := kernel(t, map[netlink.HeaderType][]func(*netlink.AttributeEncoder){
		nldevGet: {func(e *netlink.AttributeEncoder) {
			e.Uint32(attrDevIndex, 4)
			e.String(attrDevName, "mlx5_0")
		}},
		nldevPortGet: {
			func(e *netlink.AttributeEncoder) {
				e.Uint32(attrPortIndex, 1)
				e.String(attrNetdevName, "eth0")
			},
			func(e *netlink.AttributeEncoder) { e.Uint32(attrPortIndex, 2) },
		},
	})
	got, err := netdevsOf(c, "mlx5_0")
	if want := map[int]string{1: "eth0"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("the network devices are %v, %v, want %v", got, err, want)
	}
}
