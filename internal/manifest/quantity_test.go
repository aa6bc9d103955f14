package manifest

import "testing"

// TestRefusal: what the API server does not read is refused in its words, and what it reads, what is a placeholder and
// what would be multiplied out is not.
func TestRefusal(t *testing.T) {
	for text, refused := range map[string]bool{
		"2GB": true, "2Gib": true, "2gi": true, "\"\"": true, "two": true, "1.2.3": true, "2Gi": false, "2G": false, "500m": false, "1e3": false, "\" 2Gi\"": false,
		"1e999999999": false, "${MEMORY}": false, "null": false, "{a: b}": false,
	} {
		set, problems := Read([]Source{{Name: "p.yaml", Text: []byte("kind: Pod\nmemory: " + text + "\n")}}, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := Refusal(set.Objects[0].Value.Get("memory")); (got != "") != refused {
			t.Errorf("%s: %q, want refused: %t", text, got, refused)
		}
	}
}
