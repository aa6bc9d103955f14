package diagnose

import (
	"fmt"
)

func mIO01() Rule {
	return Rule{
		ID: "M-IO-01", Title: "innodb_io_capacity does not match the volume's IOPS", Severity: Warning, Needs: []Need{needClass()},
		What: "With a low value dirty pages pile up until the redo log forces them out at once. With a high value background flushing uses the IOPS that " +
			"reads and commits need. The default in MySQL 8.4 is 10,000; a gp3 volume has 3000 IOPS.",
		Impact:  "Periodic stalls during flushing, or higher read and commit latency.",
		Fix:     "Start with innodb_io_capacity at half of the volume's IOPS and innodb_io_capacity_max at three quarters, and measure the effect: these are rules of thumb.",
		Sources: []string{measured, mysqlDefaults, ebsParameters},
		Check: func(c *Case) []Finding {
			iops := provisioned(c)
			if iops == 0 {
				return nil
			}
			if most, ok := mostIOPS(c); ok {
				iops = min(iops, most) // K-STO-07
			}
			n, s, why := c.number("innodb_io_capacity")
			if !why.empty() {
				return list(unknown("%s", why))
			}
			if n*4 >= iops && n*4 <= iops*3 {
				return nil
			}
			f := hint(s.At, "innodb_io_capacity is %d (%s), the volume has %d IOPS", n, s.From, iops).
				fix("innodb_io_capacity=%d in %s", iops/2, c.configIn())
			change := []string{"innodb_io_capacity", fmt.Sprint(iops / 2)}
			if c.written("innodb_io_capacity_max") { // else twice the other (InnoDB Startup Options and System Variables)
				change = append(change, "innodb_io_capacity_max", fmt.Sprint(iops*3/4))
			}
			return list(f.oneOf(f.FixPhrase, options(phrase("%s in %s", inOptions(change), c.configIn()), true, change...)))
		},
	}
}

// provisioned is the IOPS of an EBS class, 0 where it does not say.
func provisioned(c *Case) int64 {
	class := c.class()
	if !isEBS(class) || c.otherAttributes() || parameter(class, "iopsPerGB").Exists() {
		return 0
	}
	return iopsOfClass(class.Value.Get("provisioner").Text(), parameter(class, "type").Text(), parameter(class, "iops").Int(0))
}

// iopsOfClass is what a StorageClass declares (0 for nothing), else the 3000 of gp3, which the EBS
// driver makes without a type; 0 is unknown.
func iopsOfClass(provisioner, kind string, declared int64) int64 {
	switch {
	case declared > 0:
		return declared
	case isGP3(provisioner, kind):
		return 3000
	}
	return 0
}
