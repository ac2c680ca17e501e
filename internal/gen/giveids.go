package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// giveIDs appends the functions that have no id yet to those of their API in ids.txt.
func giveIDs(dir string) error {
	events, err := loadEvents(dir)
	if err != nil {
		return err
	}
	folders, err := loadAPIs(dir, events)
	if err != nil {
		return err
	}
	ids, err := loadIDs(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "ids.txt")
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	list, given := strings.SplitAfter(string(b), "\n"), 0
	for _, folder := range folders {
		raws, err := loadFuncs(filepath.Join(dir, folder.Name))
		if err != nil {
			return err
		}
		next := folder.First
		for _, id := range ids {
			if id <= folder.Last {
				next = max(next, id+1)
			}
		}
		for _, f := range raws {
			if _, has := ids[f.Name]; has || f.Excluded {
				continue
			}
			if next > folder.Last {
				return fmt.Errorf("%s: apis.txt leaves %s no more ids", f.Name, folder.Name)
			}
			list = insertID(list, next, f.Name)
			ids[f.Name] = next
			next, given = next+1, given+1
		}
	}
	if given == 0 {
		return nil
	}
	return os.WriteFile(path, []byte(strings.Join(list, "")), 0o644)
}

// insertID puts a line before the first one with a greater id.
func insertID(list []string, id int, name string) []string {
	line := fmt.Sprintf("%d %s\n", id, name)
	for i, l := range list {
		num, _, _ := strings.Cut(l, " ")
		if n, err := strconv.Atoi(num); err == nil && n > id {
			return append(list[:i:i], append([]string{line}, list[i:]...)...)
		}
	}
	return append(list, line)
}
