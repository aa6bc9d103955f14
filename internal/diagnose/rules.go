package diagnose

// Rules is the table of all rules, in the order of the catalogue: K what
// Kubernetes and the node do, M the server's options, C and P what the
// counters of a run show, O the operators.
func Rules() []Rule {
	return []Rule{
		kQOS01(), kQOS02(), kQOS03(), kQOS04(), kQOS05(), kQOS06(), kQOS09(),
		kALC01(), kALC03(), kALC04(), kALC05(), kALC06(), kALC07(),
		kCFS01(), kCFS02(), kCFS04(), kCFS05(),
		kCPU01(), kCPU02(), kCPU03(), kCPU04(), kCPU05(), kCPU06(), kNUM02(), kNUM03(),
		kMEM01(), kMEM02(), kMEM04(), kMEM07(), kMEM08(), kMEM09(), kMEM10(), kMEM11(), kMEM12(),
		kSTO01(), kSTO03(), kSTO04(), kSTO05(), kSTO07(), kSTO08(), kSTO09(), kSTO10(), kSTO11(), kSTO12(),
		kNET06(), kNET10(), kNET14(), kNET15(), kNET16(), kDNS01(), kSEC01(), kSEC05(),
		kCFG01(), kCFG02(), kOPS01(), kOPS03(), kOPS04(), kOPS05(), kOPS06(), kOPS07(), kOPS08(), kOPS09(),
		mDUR01(), mDUR02(), mDUR03(), mDUR04(), mREDO01(), mREDO02(), mREDO03(), mIO01(), mIO02(), mIO05(),
		mBP01(), mBP02(), mBP04(), mCPU01(), mCPU02(), mLOG01(), mLOG02(), mVER01(), mVER02(), mOPT01(), mOPT02(), mOPT03(), mGAL02(), mGAL03(), mGAL04(), mQC01(),
		cCPU01(), cCPU03(), cCPU06(), cIO01(), cIO02(), cIO04(), cLOCK01(), cBP01(), cNET01(), cNET04(), cNET05(), pCLIENT01(),
		oORA01(), oORA02(), oPXC02(), oPXC03(), oPS01(), oKB01(), oMDB01(), oGEN01(), oGEN02(),
	}
}

// Find is the rule of an id.
func Find(id string) (Rule, bool) {
	for _, r := range Rules() {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}
