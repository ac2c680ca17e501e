package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// commandVar holds the words of a command that a test is to be, as a process of its own. With memoryVar it is watched:
// so many bytes of memory it may take.
const (
	commandVar = "TABARD_TEST_COMMAND"
	memoryVar  = "TABARD_TEST_MEMORY"
)

// ownProcess is a command as a process of its own.
func ownProcess(words []string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), commandVar+"="+strings.Join(words, "\n"))
	return cmd
}

func TestMain(m *testing.M) {
	text := os.Getenv(commandVar)
	if text == "" {
		os.Exit(m.Run())
	}
	words := strings.Split(text, "\n")
	if memory := os.Getenv(memoryVar); memory != "" {
		os.Exit(watched(words, memory))
	}
	os.Exit(Run(words, os.Stdout, os.Stderr))
}
