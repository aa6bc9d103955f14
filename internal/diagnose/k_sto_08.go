package diagnose

func kSTO08() Rule {
	return Rule{
		ID: "K-STO-08", Title: "Volume restored from a snapshot: slow first reads", Severity: Note, Needs: []Need{needClass()},
		What: "Blocks of an EBS volume restored from a snapshot are loaded from S3 at the first access. Warm-up and the first measurements show this, not " +
			"the database.",
		Impact:  "High read latency until every block was read once.",
		Fix:     "Read every block once, or set volumeInitializationRate in the StorageClass.",
		Sources: []string{ebsParameters},
		Check: func(c *Case) []Finding {
			claim, _ := c.DB.DataClaim()
			source := claim.Value.Get("dataSource", "kind")
			if source.Text() != "VolumeSnapshot" || !isEBS(c.class()) || parameter(c.class(), "volumeInitializationRate").Exists() {
				return nil
			}
			return list(confirmed(source.Spot(), "the volume is restored from a snapshot: blocks are loaded at the first read").fix("set volumeInitializationRate in StorageClass %s", c.class().Name))
		},
	}
}
