package keys

// This file has the facts of the network and of the path that the load takes.

const (
	NetworkAddress                     = "network.address"                        // the kind of the address that the clients connect to: pod, service, node, loadbalancer, interface NAME, socket or loopback
	NetworkBetween                     = "network.between"                        // how packets travel between nodes, such as vxlan
	NetworkClient                      = "network.client"                         // where the clients are, seen from the server
	NetworkEncryption                  = "network.encryption"                     // the encryption between nodes
	NetworkInterface                   = "network.interface"                      // why the additional interfaces of the pod are unknown
	NetworkInterfacePrefix             = "network.interface."                     // an additional interface of the pod, its network, address and device
	NetworkLink                        = "network.link"                           // how the pod is linked to its node
	NetworkLinkBitsPerS                = "network.link.bits_per_s"                // the rate to which the link was limited
	NetworkMTU                         = "network.mtu"                            // why the MTUs of the pod are unknown
	NetworkMTUPrefix                   = "network.mtu."                           // the MTU of one link of the server's pod
	NetworkPlugin                      = "network.plugin"                         // the network plugin
	NetworkPluginInterface             = "network.plugin.interface"               // the interface that the network plugin uses between nodes
	NetworkPluginMTU                   = "network.plugin.mtu"                     // the MTU that the network plugin is configured with
	NetworkPluginSettings              = "network.plugin.settings"                // why the settings of the network plugin are unknown
	NetworkServerAddress               = "network.server.address"                 // the address of the server in its network namespace
	NetworkServiceProxy                = "network.service_proxy"                  // what implements the addresses of Services
	NetworkNodeLinkEth0                = "network.node.link.eth0"                 // the kind of the link between the nodes
	NetworkNodeIPFragmentationFailures = "network.node.ip.fragmentation_failures" // packets that the server's node did not send because they were too large
	NetworkNodeIPFragments             = "network.node.ip.fragments"              // fragments that the server's node made
	NetworkNodeIPReassembled           = "network.node.ip.reassembled"            // fragments that the server's node put together
	NetworkStreamsBytesPerS            = "network.streams.bytes_per_s"            // the throughput of parallel TCP streams of the pair of nodes
	NetworkUploadsBytesPerS            = "network.uploads.bytes_per_s"            // the same in the other direction
	ClientBytesPerS                    = "client.bytes_per_s"                     // the throughput of one connection from the server, in bytes per second
	ClientUploadBytesPerS              = "client.upload_bytes_per_s"              // the throughput of one connection to the server, in bytes per second
	ClientStreamsBytesPerS             = "client.streams_bytes_per_s"             // the throughput of parallel connections from the server
	ClientStreamsUploadBytesPerS       = "client.streams_upload_bytes_per_s"      // the throughput of parallel connections to the server
	ClientConnectNS                    = "client.connect_ns"                      // the shortest time to connect
	ClientSessionNS                    = "client.session_ns"                      // the shortest time to connect and log in
	ClientRoundTripNS                  = "client.round_trip_ns"                   // the shortest round trip of a COM_PING on an idle server
	ClientLargeRoundTripNS             = "client.large_round_trip_ns"             // the shortest time of a statement with a large answer
	ClientKernelRoundTripNS            = "client.kernel_round_trip_ns"            // the shortest round trip that the kernel saw
	ClientPathMTU                      = "client.path_mtu"                        // the path MTU of the connection
	ClientSegmentBytes                 = "client.segment_bytes"                   // the largest segment of the connection
	ClientRetransmitted                = "client.retransmitted"                   // segments that the connection sent again
	ClientRequestBytes                 = "client.request_bytes"                   // the size of a request of the load's transactions
	ClientResponseBytes                = "client.response_bytes"                  // the size of an answer to them
	ClientRequestResponsePerS          = "client.request_response_per_s"          // requests and answers of that size per second over one connection
)
