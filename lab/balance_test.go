package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestBalancer: HAProxy leads from the Service's port to its NodePort on every node; of numbers that
// were given back, the lowest is taken.
func TestBalancer(t *testing.T) {
	var s exposed
	if err := json.Unmarshal([]byte(`{"metadata": {"name": "db"}, "spec": {"type": "LoadBalancer", "ports": [{"port": 3306, "nodePort": 31000}]}}`), &s); err != nil {
		t.Fatal(err)
	}
	running := map[string]*balancer{"a": {number: 0}, "c": {number: 2}}
	b := &balancer{number: freeNumber(running)}
	text := b.configuration(s)
	for _, want := range []string{"bind 10.200.0.101:3306\n", "server n1 10.200.0.11:31000\n", "server n3 10.200.0.13:31000\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "check") {
		t.Error("health checks are logins that fail")
	}
}
