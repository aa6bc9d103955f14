package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kSTO04() Rule {
	return Rule{
		ID: "K-STO-04", Title: "gp3 volume at its baseline of 3000 IOPS", Severity: Warning, Needs: []Need{needClass()},
		What:   "A gp3 volume has 3000 IOPS and 125 MiB/s at any size. More must be provisioned. The CSI driver provisions nothing by default.",
		Impact: "Throughput is limited at 3000 IOPS. In KubeBlocks' comparison 12,000 IOPS clearly lowered response times where 3000 was the limit.",
		Fix: "Set parameters: {type: gp3, iops: \"12000\", throughput: \"500\"}, at most 500 IOPS per GiB. Change existing volumes with a " +
			"VolumeAttributesClass.",
		Sources: []string{ebsParameters, kubeblocks2023},
		Check: func(c *Case) []Finding {
			class := c.class()
			if !isEBS(class) || c.otherAttributes() {
				return nil
			}
			if !isGP3(class.Value.Get("provisioner").Text(), parameter(class, "type").Text()) || parameter(class, "iops").Exists() || parameter(class, "iopsPerGB").Exists() {
				return nil
			}
			if tooMuchThroughput(class) != nil {
				return nil // K-STO-07: the volume is not created
			}
			if t := parameter(class, "throughput"); t.Exists() {
				return list(hint(class.Value.Get("parameters").Spot(), "StorageClass %s creates gp3 volumes with 3000 IOPS and %s MiB/s", class.Name, t.Text()).fix("set iops in its parameters"))
			}
			return list(hint(class.Value.Get("parameters").Spot(), "StorageClass %s creates gp3 volumes with 3000 IOPS and 125 MiB/s", class.Name).
				fix("set iops and throughput in its parameters"))
		},
	}
}

// otherAttributes is whether a VolumeAttributesClass says what the claim of the data has.
func (c *Case) otherAttributes() bool {
	claim, ok := c.DB.DataClaim()
	return ok && claim.Value.Get("volumeAttributesClassName").Text() != ""
}

const (
	ebsDriver = "ebs.csi.aws.com"
	inTreeEBS = "kubernetes.io/aws-ebs"
)

// isGP3 is whether a class makes gp3 volumes. Without a type the EBS driver does (ebsParameters).
// What kubernetes.io/aws-ebs makes then depends on the release of Kubernetes (K-STO-05).
func isGP3(provisioner, kind string) bool {
	return kind == "gp3" || kind == "" && provisioner == ebsDriver
}

func isEBS(class *manifest.Object) bool {
	p := class.Value.Get("provisioner").Text()
	return p == ebsDriver || p == inTreeEBS
}
