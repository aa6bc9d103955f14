package experiment

import (
	"strings"
	"testing"
)

// TestOtherWordsForFields: words of Kubernetes and of other programs lead to the field that sets what they mean, where
// it is one, and to no other.
func TestOtherWordsForFields(t *testing.T) {
	arm := []string{"target", "qos", "quota", "quotaPeriod", "cpu", "memory", "memoryLimit", "cpuRequest", "memoryRequest", "weight"}
	for word, want := range map[string]string{
		"cpuLimit": "did you mean cpu?", "cpu-limit": "did you mean cpu?", "limits": "did you mean cpu, memory?",
		"cpuCFSQuota": "did you mean quota?", "memori": "did you mean memory?", "duration": "known here: ",
	} {
		if got := suggest(word, arm); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// TestAliasesLeadToFields: each is in the form in which it is looked up, and stands for a field.
func TestAliasesLeadToFields(t *testing.T) {
	for word, fields := range aliases() {
		if word != strings.ToLower(word) || len(fields) == 0 {
			t.Errorf("%s: %v", word, fields)
		}
	}
}
