package main

import (
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/gen/files"
)

// cAPIs makes capture/apis.c: what the runtime asks of each API (capture/core/api.h). An API that has a room in
// capture/ has its table there, tb_api_NAME. The others are recorded by wrappers alone, or in other rooms.
func cAPIs(root string, api *API) (files.File, error) {
	var rooms []string
	for _, folder := range api.Folders {
		if info, err := os.Stat(filepath.Join(root, "capture", folder.Name)); err == nil && info.IsDir() {
			rooms = append(rooms, folder.Name)
		}
	}
	text, err := fill("apis.c.tmpl", rooms)
	return files.File{Path: "capture/apis.c", Text: text}, err
}
