package wire

// TCPInfo is what the kernel knows of a TCP connection (tcp(7), TCP_INFO).
type TCPInfo struct {
	PathMTU, SegmentBytes uint32
	// RTT is the smoothed round trip, MinRTT the smallest one, in microseconds.
	RTT, MinRTT uint32
	// Retransmitted counts segments.
	Retransmitted uint32
}
