package target

// Unremoved is what an arm, or the load of all arms, has made in a cluster and not removed.
type Unremoved struct {
	Kubeconfig, Context, Namespace string

	Arm string // the name that the objects have in common; "": there are none
	Pod string // of the server; "": none is up, or its name is not known yet

	// Instances are the trials whose servers are, or were, pods: their directories on this machine hold no server.
	Instances []string
}
