package record

// Why a server of this machine was not started.
const (
	MakeInstance  Sentence = "make instance: {text}"
	MakeDirectory Sentence = "make directory: {text}"
	FindDirectory Sentence = "find directory: {text}"
	CopyData      Sentence = "copy data: {why}"
	CopyDiffers   Sentence = "the copy of member {n} differs from that of the first"
	InitDirectory Sentence = "initialise data directory: {how}\n{log}"
	StartProcess  Sentence = "start mysqld: {why}"
	StartProgram  Sentence = "start {path}: {text}"
	RootOnly      Sentence = "a server from the root file system {root} can be started by root only (chroot(2) and mount(2)); run tare as root, or use a mysqld of this host"
	NoDirectory   Sentence = "the root file system {root} has no directory /{directory}, which a server in it needs"
)

// Why a container was not started.
const (
	StartContainer  Sentence = "start container: {why}"
	NoRuntime       Sentence = "find a container runtime: no {runtime} on PATH; install it (apt install {package})"
	AskRuntime      Sentence = "ask the container runtime: {text}"
	RunContainerLog Sentence = "run container: {why}\n{log}"
	RunContainer    Sentence = "run container: {text}"
	RuntimeEnded    Sentence = "the runtime ended"
	MountOverlay    Sentence = "mount overlayfs over {lower}: {text} (its upper directory {upper} must not lie on an overlayfs itself)"
	MakeVolume      Sentence = "make volume: {why}"
	ReserveVolume   Sentence = "reserve {size} MiB for the volume (volumeSize): {text}"
	MakeFileSystem  Sentence = "make file system: {text}"
	AttachLoop      Sentence = "attach loop device to {path}: {text}"
	BoundIO         Sentence = "bound I/O: {text}"
	BuildNetwork    Sentence = "build network: {why}"
	NoPlugin        Sentence = "find CNI plugin {plugin}: not in {directories}; install it (apt install containernetworking-plugins)"
	AddPod          Sentence = "add pod {pod} by CNI plugin {plugin}: {text}"
	StartNeighbour  Sentence = "start neighbour: {why}"
)

// Why the servers did not become one replicated database.
const (
	StartMember  Sentence = "start member {n}: {why}"
	WaitMember   Sentence = "wait for member {n}: {why}"
	JoinMembers  Sentence = "join members of mode {mode}: {why}"
	ThreadSays   Sentence = "its {thread} thread says: {text}"
	GroupInError Sentence = "the group has a member in error: {text}"
	StartProxy   Sentence = "start proxy: {why}"
	ProxyEnded   Sentence = "it has ended ({how}): {text}"
	WaitProxy    Sentence = "wait for proxy: {text}"
	ProxyGone    Sentence = "the proxy has ended: {how}: {text}"
)

// Why a server that runs could not be used.
const (
	WaitServer     Sentence = "wait for server: {why}"
	ConnectServer  Sentence = "connect to server: {text}"
	NotReadyWithin Sentence = "server did not become ready within {time}; the last attempt said: {why}"
	NotAsked       Sentence = "it was not asked"
	NoConnection   Sentence = "no connection to {place} can be made: {why}"
	NameUnresolved Sentence = "DNS does not resolve its name: {text}"
	NotTrusted     Sentence = "TLS: its certificate is not trusted: {text}"
	NoTLS          Sentence = "TLS: it offers none"
	NoSchema       Sentence = "{place} answers and has no schema {schema}: it is another server, or the schema was dropped: {text}"
	CreateSchema   Sentence = "create schema {schema}: {text}"
	ForeignSchema  Sentence = "use schema {schema}: schema is not tare's: it has no marker of tare's; name another schema, or drop this one yourself"
	HeldSchema     Sentence = "schema {schema} is in use by another tare: process {process} on host {host}, which writes to {run} and was active {seconds} s ago; wait until it has ended, or name another schema (the lease of a tare that was killed ends after {lease} s)"
)

func ofStarts() []Coded {
	return []Coded{
		{"make-instance", MakeInstance}, {"make-directory", MakeDirectory}, {"find-directory", FindDirectory}, {"copy-data", CopyData}, {"copy-differs", CopyDiffers},
		{"init-directory", InitDirectory}, {"start-process", StartProcess}, {"start-program", StartProgram}, {"root-only", RootOnly}, {"no-directory", NoDirectory},
		{"start-container", StartContainer}, {"no-runtime", NoRuntime}, {"ask-runtime", AskRuntime},
		{"run-container-log", RunContainerLog}, {"run-container", RunContainer}, {"runtime-ended", RuntimeEnded}, {"mount-overlay", MountOverlay},
		{"make-volume", MakeVolume}, {"reserve-volume", ReserveVolume}, {"make-file-system", MakeFileSystem}, {"attach-loop", AttachLoop}, {"bound-io", BoundIO},
		{"build-network", BuildNetwork}, {"no-plugin", NoPlugin}, {"add-pod", AddPod}, {"start-neighbour", StartNeighbour},
		{"start-member", StartMember}, {"wait-member", WaitMember}, {"join-members", JoinMembers}, {"thread-says", ThreadSays}, {"group-in-error", GroupInError},
		{"start-proxy", StartProxy}, {"proxy-ended", ProxyEnded}, {"wait-proxy", WaitProxy}, {"proxy-gone", ProxyGone},
		{"wait-server", WaitServer}, {"connect-server", ConnectServer}, {"not-ready-within", NotReadyWithin}, {"not-asked", NotAsked},
		{"no-connection", NoConnection}, {"name-unresolved", NameUnresolved}, {"not-trusted", NotTrusted}, {"no-tls", NoTLS},
		{"create-schema", CreateSchema}, {"foreign-schema", ForeignSchema}, {"held-schema", HeldSchema},
	}
}
