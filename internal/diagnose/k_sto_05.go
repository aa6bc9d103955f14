package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kSTO05() Rule {
	return Rule{
		ID: "K-STO-05", Title: "A small gp2 volume depends on burst credits", Severity: Warning, Needs: []Need{needClass()},
		What: "gp2 provides 3 IOPS per GiB (at least 100) and bursts up to 3000 IOPS while it has credits. A benchmark of half an hour runs on credits; " +
			"production does not.",
		Impact:  "IOPS drop to the baseline when the credits are used up.",
		Fix:     "Use gp3 with the required IOPS, or at least 1 TiB of gp2.",
		Sources: []string{ebsParameters},
		Check: func(c *Case) []Finding {
			class := c.class()
			claim, _ := c.DB.DataClaim()
			gib := claim.Size.Value >> 30
			kind := parameter(class, "type")
			if !isEBS(class) || kind.Exists() && kind.Text() != "gp2" || !claim.Size.Set || gib >= 1000 {
				return nil
			}
			if !kind.Exists() {
				return untypedEBS(class)
			}
			return list(confirmed(claim.Size.At.Spot(), "%s of gp2: %d IOPS when the burst credits are used up", manifest.Size(claim.Size.Value), max(3*gib, 100)).
				fix("use a StorageClass with type: gp3 and iops"))
		},
	}
}

// untypedEBS judges a class without a type. Since CSI migration, which Kubernetes 1.23 has enabled,
// the EBS driver creates what kubernetes.io/aws-ebs is asked for, and it is told no type either
// (csi-translation-lib, plugins/aws_ebs.go, TranslateInTreeStorageClassToCSI).
func untypedEBS(class *manifest.Object) []Finding {
	if class.Value.Get("provisioner").Text() == ebsDriver {
		return nil
	}
	return list(unknown("StorageClass %s has no type: kubernetes.io/aws-ebs creates gp2 before Kubernetes 1.23 and gp3 since", class.Name))
}
