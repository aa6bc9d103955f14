package layer

// All is the table, in the order in which a pod is built up. Files of this
// package hold its parts: resources.go, storage.go, network.go, security.go.
// packets is the command line of the processes that packets go through (see
// network.Env).
func All(packets []string) []Layer {
	var all []Layer
	for _, part := range [][]Layer{resources(), storage(), networks(packets), security()} {
		all = append(all, part...)
	}
	return all
}
