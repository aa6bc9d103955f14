package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kSTO04() Rule {
	return Rule{
		ID: "K-STO-04", Title: "A gp3 volume is left at its baseline", Severity: Warning, Needs: []Need{needClass()},
		What:    "A gp3 volume gives 3000 IOPS and 125 MiB/s whatever its size; more must be asked for. The driver asks for nothing by itself.",
		Impact:  "A ceiling at 3000 IOPS; in KubeBlocks' comparison 12,000 IOPS clearly lowered response times where 3000 limited.",
		Fix:     "parameters: {type: gp3, iops: \"12000\", throughput: \"500\"}, at most 500 IOPS for each GiB; existing volumes by a VolumeAttributesClass.",
		Sources: []string{ebsParameters, kubeblocks2023},
		Check: func(c *Case) []Finding {
			class := c.class()
			if !isEBS(class) {
				return nil
			}
			kind := parameter(class, "type")
			if kind.Exists() && kind.Text() != "gp3" || parameter(class, "iops").Exists() || parameter(class, "iopsPerGB").Exists() {
				return nil
			}
			return list(hint(class.Value.Get("parameters").Spot(), "StorageClass %s makes gp3 volumes of 3000 IOPS and 125 MiB/s, whatever their size", class.Name).
				fix("iops and throughput in its parameters"))
		},
	}
}

func isEBS(class *manifest.Object) bool {
	p := class.Value.Get("provisioner").Text()
	return p == "ebs.csi.aws.com" || p == "kubernetes.io/aws-ebs"
}
