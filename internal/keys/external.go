package keys

// This file has the facts of a server that someone else runs.

const (
	ExternalAddress        = "external.address"       // the address of the server
	ExternalConnections    = "external.connections"   // connection attempts that the server counted
	ExternalCPUs           = "external.cpus"          // the CPUs of the server's machine, which tare cannot see
	ExternalHost           = "external.host"          // the name that the server gives its machine
	ExternalInstancePrefix = "external.instance."     // what the experiment says of the server's instance
	ExternalInstanceIOPS   = "external.instance.iops" // the I/O operations per second that the experiment says the instance has
	ExternalNeighbours     = "external.neighbours"    // other load of the server's machine, which tare cannot see
	ExternalQuestions      = "external.questions"     // statements that the server counted
	ExternalStorage        = "external.storage"       // the storage of the server, which tare cannot see
	ExternalTLSCipher      = "external.tls_cipher"    // the cipher of the connections
	ExternalTLSVersion     = "external.tls_version"   // the TLS version of the connections
	ExternalUptimeS        = "external.uptime_s"      // the uptime of the server
	ExternalVersion        = "external.version"       // the version that the server states
)
