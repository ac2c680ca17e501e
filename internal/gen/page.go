package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/tabard-hpc/tabard/internal/gen/files"
)

// page bundles the script and the style of the viewer's page. Nothing of the bundler is part of the program.
func page(root string) ([]files.File, error) {
	const ui = "internal/view/ui"
	dir, err := filepath.Abs(filepath.Join(root, ui))
	if err != nil {
		return nil, err
	}
	r := api.Build(api.BuildOptions{
		AbsWorkingDir: dir,
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: "src/main.ts", OutputPath: "app"}, {InputPath: "src/style.css", OutputPath: "app"},
		},
		Bundle: true, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Target: api.ES2022, Format: api.FormatIIFE, Charset: api.CharsetASCII, LegalComments: api.LegalCommentsNone,
		LineLimit: 110, // so that changes can be told from one another
		Outdir:    "dist",
	})
	if len(r.Errors) > 0 {
		text := api.FormatMessages(r.Errors, api.FormatMessagesOptions{})
		return nil, errors.New(strings.Join(text, "\n"))
	}
	var all []files.File
	for _, f := range r.OutputFiles {
		all = append(all, files.File{Path: filepath.Join(ui, "dist", filepath.Base(f.Path)), Text: f.Contents})
	}
	return all, nil
}
