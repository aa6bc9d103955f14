package container

// Freeze stops the server, its neighbour and its load's pod: they are one tree.
func (s *server) Freeze() error { return s.tree.Freeze() }

// Thaw lets them go on.
func (s *server) Thaw() error {
	if s.tree == nil {
		return nil
	}
	return s.tree.Thaw()
}
