// Package render turns results into text for terminals and into SVG and PNG
// pictures: heat maps, bars and histograms, timelines, tables, sparklines and
// a progress bar. It knows nothing of traces: whoever computes a result says
// what rows, columns and units are.
//
// A chart is a plain struct. Its WriteText method draws it for a Terminal, its
// Picture method gives a Picture, which can be written as SVG or PNG. The same
// input gives the same bytes.
//
// Colours are the viridis map (van der Walt and Smith, matplotlib, CC0) for
// quantities and the palette of Okabe and Ito for categories: both keep their
// order and their differences for colour-blind readers and in print.
package render
