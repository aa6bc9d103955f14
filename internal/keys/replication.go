package keys

// This file has the facts of a replicated database.

const (
	ReplicationMode                       = "replication.mode"                            // how the members replicate
	ReplicationMembers                    = "replication.members"                         // the number of members
	ReplicationWriters                    = "replication.writers"                         // which members take writes
	ReplicationOptionPrefix               = "replication.option."                         // an option of the members that the mode of replication sets
	ReplicationMemberPrefix               = "replication.member."                         // the state of one member
	ReplicationMember2RequestResponsePerS = "replication.member.2.request_response_per_s" // round trips per second between the first member and the second
	ReplicationMember2StreamsBytesPerS    = "replication.member.2.streams.bytes_per_s"    // the throughput of TCP streams between the first member and the second
	ReplicationProxy                      = "replication.proxy"                           // the proxy between the clients and the members
	ReplicationProxyPrefix                = "replication.proxy."                          // a property of that proxy
	ReplicationProxyAddress               = "replication.proxy.address"                   // the address of the proxy
	ReplicationTransactionBytes           = "replication.transaction_bytes"               // bytes of the binary log for each transaction
)
