package diagnose

func kNET06() Rule {
	return Rule{
		ID: "K-NET-06", Title: "Packets do not fit the way and are cut up", Severity: Error,
		Why: "An MTU of the pod that is larger than what the way holds, less what an encapsulation adds, makes a large answer into fragments, or loses it " +
			"where fragments are forbidden and nobody says so: small statements work, and large results hang.",
		Remedy:  "The plugin's MTU: that of the link less the encapsulation (VXLAN 50 bytes, IPIP 20, WireGuard 60).",
		Sources: []string{calico, flannel, percona2020},
		Run:     fragmented,
	}
}

func fragmented(o *Observed) []Finding {
	made, ok := rate(o.Arm, "ip.fragments")
	failed, ok2 := rate(o.Arm, "ip.fragmentation_failures")
	received, ok3 := rate(o.Arm, "ip.reassembled")
	if !ok || !ok2 || !ok3 {
		return unread("IP of its network namespace")
	}
	if overSocket(o.Arm) {
		return list(ruledOut("it sends nothing to its clients over IP"))
	}
	if made+failed+received < 1 {
		return list(ruledOut("%.2f fragments a second were made or received, and %.2f packets were too large", made+received, failed))
	}
	if !alone(o.Arm) {
		return list(unknown("the whole node made or received %.0f fragments a second, and which of them were the server's is not on record", made+received))
	}
	f := seen("%.0f fragments a second were made or received, and %.0f packets a second were too large for the way", made+received, failed).write("an MTU that fits the way")
	if o.Spec.Has("network") {
		f = f.change("{network: {mtu: 1400}}")
	}
	return list(f)
}
