package diagnose

func kSTO08() Rule {
	return Rule{
		ID: "K-STO-08", Title: "A volume from a snapshot is slow where it was not read yet", Severity: Note, Needs: []Need{needClass()},
		What:    "Blocks of a restored EBS volume are fetched when first touched. Warm-up and the first measurements show that and nothing of the database.",
		Fix:     "Read every block once, or volumeInitializationRate in the StorageClass.",
		Sources: []string{ebsParameters},
		Check: func(c *Case) []Finding {
			claim, _ := c.DB.DataClaim()
			source := claim.Value.Get("dataSource", "kind")
			if source.Text() != "VolumeSnapshot" || !isEBS(c.class()) || parameter(c.class(), "volumeInitializationRate").Exists() {
				return nil
			}
			return list(confirmed(source.Spot(), "the volume is restored from a snapshot, block by block as it is read").fix("volumeInitializationRate in StorageClass %s", c.class().Name))
		},
	}
}
