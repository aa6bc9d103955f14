package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kSTO07() Rule {
	return Rule{
		ID: "K-STO-07", Title: "Provisioned IOPS exceed the maximum of the volume type", Severity: Warning, Needs: []Need{needClass()},
		What: "io2 provides at most 1000 IOPS per GiB and 256,000 in total, io1 50 and 64,000, gp3 500 and 80,000. gp3 has at most 0.25 MiB/s for each of its IOPS. The driver reduces a higher value, or " +
			"the volume is not created.",
		Impact:  "Fewer IOPS than configured, or no volume.",
		Fix:     "Use a larger volume or fewer IOPS.",
		Sources: []string{ebsParameters},
		Check: func(c *Case) []Finding {
			class := c.class()
			claim, _ := c.DB.DataClaim()
			iops := parameter(class, "iops")
			if f := tooMuchThroughput(class); f != nil {
				return f
			}
			if most, ok := mostIOPS(c); ok && iops.Int(0) > most {
				return list(confirmed(iops.Spot(), "%s IOPS on a volume of %s: the maximum of %s is %d", iops.Text(), manifest.Size(claim.Size.Value), parameter(class, "type").Text(), most).
					fix("iops: \"%d\", or a larger volume", most))
			}
			return nil
		},
	}
}

// tooMuchThroughput is a gp3 volume with more than 0.25 MiB/s for each of its IOPS, which EC2 refuses to create
// (docs.aws.amazon.com, General Purpose SSD volumes: "Maximum ratio of provisioned throughput to provisioned IOPS").
func tooMuchThroughput(class *manifest.Object) []Finding {
	throughput, iops := parameter(class, "throughput"), parameter(class, "iops").Int(3000)
	most := iops / 4
	if !isEBS(class) || !isGP3(class.Value.Get("provisioner").Text(), parameter(class, "type").Text()) || parameter(class, "iopsPerGB").Exists() || throughput.Int(0) <= most {
		return nil
	}
	return list(confirmed(throughput.Spot(), "%s MiB/s with %d IOPS: gp3 has at most 0.25 MiB/s for each of its IOPS, %d MiB/s here, and the volume is not created", throughput.Text(), iops, most).
		fix("iops: \"%d\", or throughput: \"%d\"", throughput.Int(0)*4, most))
}

// mostIOPS is what the volume of the data can have by its type and size; ok is false where that is not known.
func mostIOPS(c *Case) (most int64, ok bool) {
	class := c.class()
	claim, _ := c.DB.DataClaim()
	gib := claim.Size.Value >> 30
	for _, k := range []struct {
		kind             string
		perGiB, least, n int64
	}{{"io2", 1000, 100, 256000}, {"io1", 50, 100, 64000}, {"gp3", 500, 3000, 80000}} { // any gp3 has its baseline of 3000
		if isEBS(class) && claim.Size.Set && parameter(class, "type").Text() == k.kind {
			return min(max(k.perGiB*gib, k.least), k.n), true
		}
	}
	return 0, false
}
