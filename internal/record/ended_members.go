package record

// What happened to the members of a replicated database while they were loaded.
const (
	NoPrimary    Sentence = "no primary is running"
	NoSecondary  Sentence = "no secondary is running"
	NoMember     Sentence = "member {n} is not running"
	SignalEnded  Sentence = "signal member {n}: its process has ended"
	SignalMember Sentence = "signal member {n}: {text}"
	NoDiskLimit  Sentence = "slow down the disk of member {n}: a process without a cgroup has no limit of I/O"
	SlowDisk     Sentence = "slow down disk: {text}"
	CutMemberOff Sentence = "cut member {n} off: {text}"
	SlowLink     Sentence = "slow down the link of member {n}: {text}"
	SpeedUpLink  Sentence = "speed up the link of member {n}: {text}"
	WatchMembers Sentence = "watch members: {text}"
)

// Why a failover failed.
const (
	NonePromotable Sentence = "member {n} fails as the primary, and no other member can be promoted: {why}"
	NoneElected    Sentence = "member {n} fails as the primary, and the group has elected no other primary: {why}"
	TimePassed     Sentence = "{time} have passed"
	LoadEnded      Sentence = "the load ended first"
	LoadEndedWhile Sentence = "the load ended first: {why}"
	NoCandidate    Sentence = "promote: no member answers"
	PromoteMember  Sentence = "promote member {n}: {why}"
	ApplyRelayLog  Sentence = "apply the relay log: {why}"
	NotApplied     Sentence = "it is not applied after {time}"
	FollowMember   Sentence = "have member {n} follow member {primary}: {text}"
	StopReceiving  Sentence = "stop receiving on member {n}: {text}"
	ReceiveAgain   Sentence = "have member {n} receive again: {text}"
)

// Why a member was not compared with the ledger after the load.
const (
	LookAtMembers  Sentence = "look at members: {text}"
	CheckTheLedger Sentence = "check the ledger: {why}"
	CheckLedger    Sentence = "check ledger: {text}"
	LeftKilled     Sentence = "it was killed"
	LeftOldPrimary Sentence = "it was the primary before the failover and has not replicated since"
	LeftSilent     Sentence = "it does not answer: {why}"
	AskMember      Sentence = "ask member {n}: {text}"
	LeftInState    Sentence = "it is not a member of the database any more: its state is {state}"
	LeftDatabase   Sentence = "it is not a member of the database any more"
	LeftOtherView  Sentence = "it sees member {n} as the primary, unlike most members"
	LeftUncompared Sentence = "its transactions cannot be compared with those of the primary: {text}"
	LeftBehind     Sentence = "it has not applied what the primary has"
)

// What differs between a member and the ledger. The server says it of an account, with the
// statement of the workload ledger.
const (
	EntryLost       Sentence = "lost: {entry}"
	EntryDoubled    Sentence = "duplicated: {entry}"
	EntryUnsent     Sentence = "never sent: {entry}"
	AccountsDiffer  Sentence = "{n} accounts, such as {account}"
	AccountDiffers  Sentence = "client {client}: {balance} and {entries}"
	AccountOfNobody Sentence = "client {client}: none and {entries}"
)

// BetweenEntries is between two entries that differ.
const BetweenEntries = ", "

func ofMembers() []Coded {
	return []Coded{
		{"no-primary", NoPrimary}, {"no-secondary", NoSecondary}, {"no-member", NoMember},
		{"signal-ended", SignalEnded}, {"signal-member", SignalMember}, {"no-disk-limit", NoDiskLimit}, {"slow-disk", SlowDisk},
		{"cut-off", CutMemberOff}, {"slow-link", SlowLink}, {"speed-up-link", SpeedUpLink}, {"watch-members", WatchMembers},
		{"none-promotable", NonePromotable}, {"none-elected", NoneElected}, {"time-passed", TimePassed}, {"load-ended", LoadEnded}, {"load-ended-while", LoadEndedWhile},
		{"no-candidate", NoCandidate}, {"promote-member", PromoteMember}, {"apply-relay-log", ApplyRelayLog}, {"not-applied", NotApplied},
		{"follow-member", FollowMember}, {"stop-receiving", StopReceiving}, {"receive-again", ReceiveAgain},
		{"look-at-members", LookAtMembers}, {"check-the-ledger", CheckTheLedger}, {"check-ledger", CheckLedger},
		{"left-killed", LeftKilled}, {"left-old-primary", LeftOldPrimary}, {"left-silent", LeftSilent}, {"ask-member", AskMember},
		{"left-in-state", LeftInState}, {"left-database", LeftDatabase}, {"left-other-view", LeftOtherView}, {"left-uncompared", LeftUncompared}, {"left-behind", LeftBehind},
		{"entry-lost", EntryLost}, {"entry-doubled", EntryDoubled}, {"entry-unsent", EntryUnsent},
		{"accounts-differ", AccountsDiffer}, {"account-of-nobody", AccountOfNobody}, {"account-differs", AccountDiffers},
	}
}
