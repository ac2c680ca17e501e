// Package view is the server of the viewer: it answers what the page in ui asks about one recording, or about two that
// are compared. What it sends are the documents of package report and the types of package api.
//
// # Answers
//
// An analysis of all calls may take minutes. So an answer that is not there within a second is Pending, and the page
// asks again. Answers are kept, up to some size, so that the same question is worked out once. A few analyses go on at
// a time, what was asked for last first; what nobody asks for any more is not begun.
//
// # Security
//
// The page shows what is in a recording, which may be confidential, and recordings may come from anybody. So the server
// listens on the loopback interface or on a socket that only its user may open, admits only requests that know a token
// of 128 bits, that are addressed to this machine, and that no other page makes. It only reads. No request names a
// file. Texts of a recording are sent as JSON and never as part of a page.
package view
