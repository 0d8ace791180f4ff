package verbs

import (
	"strings"
	"testing"

	"github.com/mdlayher/netlink"
	"github.com/mdlayher/netlink/nltest"
)

func TestAProcessThatSeesNoDeviceIsToldOfExclusiveNamespaces(t *testing.T) {
	for mode, want := range map[uint8]string{0: "rdma dev set", 1: ""} {
		c := nltest.Dial(func(requests []netlink.Message) ([]netlink.Message, error) {
			request := requests[0].Header
			if request.Type != nldevSystemGet {
				t.Errorf("asked for %d", request.Type)
			}
			e := netlink.NewAttributeEncoder()
			e.Uint8(attrNamespaceMode, mode)
			data, err := e.Encode()
			return []netlink.Message{{Header: netlink.Header{Sequence: request.Sequence, PID: request.PID}, Data: data}}, err
		})
		if says := hiddenDevices(c); !strings.Contains(says, want) || (want == "") != (says == "") {
			t.Errorf("in mode %d: %q", mode, says)
		}
		_ = c.Close()
	}
}
