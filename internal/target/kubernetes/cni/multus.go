package cni

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// StatusAnnotation is where Multus writes the interfaces of a pod (Kubernetes Network Custom Resource
// Definition De-facto Standard, version 1.3, section 4.1).
const StatusAnnotation = "k8s.v1.cni.cncf.io/network-status"

// NetworksAnnotation is how a pod asks for further interfaces.
const NetworksAnnotation = "k8s.v1.cni.cncf.io/networks"

// Attachment is an interface of a pod as Multus reports it.
type Attachment struct {
	Name      string   `json:"name"`
	Interface string   `json:"interface"`
	IPs       []string `json:"ips"`
	Default   bool     `json:"default"`
	MTU       int      `json:"mtu"`
	Device    struct {
		Type string `json:"type"`
		PCI  struct {
			Address string `json:"pci-address"`
		} `json:"pci"`
	} `json:"device-info"`
}

// Attachments reads the annotation; nil where there is none.
func Attachments(annotations map[string]string) ([]Attachment, error) {
	text, ok := annotations[StatusAnnotation]
	if !ok {
		return nil, nil
	}
	var all []Attachment
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("read annotation %s: %w", StatusAnnotation, err)
	}
	return all, nil
}

func attachments(o Objects) []record.Fact {
	if o.Pod == nil {
		return nil
	}
	source := "annotation " + StatusAnnotation
	all, err := Attachments(o.Pod.Annotations)
	if err != nil {
		return []record.Fact{{Key: keys.NetworkInterface, Source: source, Unknown: err.Error()}}
	}
	var facts []record.Fact
	for _, a := range all {
		name := a.Interface
		if name == "" {
			name = "eth0" // of the default network, where Multus leaves it out
		}
		key := keys.NetworkInterfacePrefix + name
		facts = append(facts, record.Fact{Key: key + ".network", Value: a.Name, Source: source},
			record.Fact{Key: key + ".address", Value: strings.Join(a.IPs, " "), Source: source})
		if a.Device.PCI.Address != "" {
			facts = append(facts, record.Fact{Key: key + ".device", Value: a.Device.Type + " " + a.Device.PCI.Address, Source: source})
		}
	}
	return facts
}
