// Package api has the data types that the viewer's server and its page exchange, besides the documents of
// package report. Every request is a GET of /api/NAME; docs/viewer.md says what each of them takes.
//
// Times are in nanoseconds since the start of the trace. A line is a thread of a process: a row of the
// picture at its finest.
package api

import (
	"encoding/json"

	"github.com/tabard-hpc/tabard/internal/report"
)

// Overview is what is known of a recording without a look at its calls.
type Overview struct {
	// Name is the last part of the file's name, Recordings how many recordings are shown beside each other.
	Name       string   `json:"name"`
	Recordings int      `json:"recordings"`
	Version    string   `json:"version"`
	Command    []string `json:"command"`
	MPI        string   `json:"mpi"`
	Created    string   `json:"created"`
	Processes  int      `json:"processes"`
	Threads    int      `json:"threads"`
	Hosts      int      `json:"hosts"`
	Calls      uint64   `json:"calls"`
	Bytes      int64    `json:"bytes"`
	// Hash identifies the content of the file.
	Hash string `json:"hash"`
	// Timed tells whether there are times of single calls.
	Timed  bool   `json:"timed"`
	Grid   *Grid  `json:"grid,omitempty"`
	Banner Banner `json:"banner"`
	// Kinds are the kinds of events that are recorded: "mpi", "io", ...
	Kinds []string `json:"kinds"`
}

// Grid is the grid of tiles that covers the run.
type Grid struct {
	Lines int `json:"lines"`
	// Level is the least one at which a single tile covers the run.
	Level int   `json:"level"`
	From  int64 `json:"from_ns"`
	To    int64 `json:"to_ns"`
	// About is set as long as To is an estimate, since not all of a large recording has been read.
	About bool `json:"about,omitempty"`
	// Group is the least number of lines in a row with which a tile has all lines.
	Group      int      `json:"group"`
	Bins       int      `json:"bins"`
	MaxRows    int      `json:"max_rows"`
	Categories []string `json:"categories"`
	Orders     []string `json:"orders"`
	// First are the requests for the tiles of the whole run.
	First []string `json:"first"`
}

// Banner is what limits how far the recording can be believed.
type Banner struct {
	// TimeError bounds the error that starts and ends of calls are stored with; 0 if they are exact.
	TimeError int64 `json:"time_error_ns"`
	// Residual bounds how far corrected clocks of hosts are apart; Unmeasured is how many hosts' clocks are not
	// corrected.
	Residual   int64 `json:"clock_residual_ns"`
	Unmeasured int   `json:"unmeasured_clocks"`
	// Unfinished counts the calls that did not return (the report lists them), Lost those that are missing.
	Unfinished uint64 `json:"unfinished_calls"`
	Lost       uint64 `json:"lost_calls"`
	// Snapshot is when the job was looked at if it was running, "" else.
	Snapshot string `json:"snapshot"`
	// Incomplete says in a sentence what is not recorded, "" if nothing.
	Incomplete string `json:"incomplete"`
}

// Lines are the identities of lines.
type Lines struct {
	Order string `json:"order"`
	Total int    `json:"total"`
	First int    `json:"first"`
	Lines []Line `json:"lines"`
}

// Line is a thread.
type Line struct {
	// Rank is -1 for a process without one.
	Rank   int    `json:"rank"`
	World  int    `json:"world"`
	Thread int    `json:"thread"`
	Host   string `json:"host"`
	// Class is a number that threads share which made the same calls in the same order.
	Class int    `json:"class"`
	Calls uint64 `json:"calls"`
	// Queue names the queue of a GPU that the thread stands for: "GPU 0, stream 7". "" if it is a thread.
	Queue string `json:"queue,omitempty"`
}

// TileHead comes before the cells of a tile.
type TileHead struct {
	Level int   `json:"level"`
	X     int64 `json:"x"`
	Bins  int   `json:"bins"`
	// Value says what cells are: time (a byte for each category, 255 is all of it), calls (32 bits), bytes_sent,
	// bytes_received, messages_sent or messages_received (32-bit floating-point numbers for each kind of traffic).
	Value      string   `json:"value"`
	Categories []string `json:"categories"`
	// Exact is set if all of the tile was read. Else Blur is over what stretches of time its shares are means, and
	// Pending how many threads were not read.
	Exact   bool      `json:"exact"`
	Pending int       `json:"pending"`
	Blur    int64     `json:"blur_ns"`
	Rows    []TileRow `json:"rows"`
	// Unsized is how many messages, in it or nearby, are of unknown size: sends count without bytes, receives with the
	// size of their buffers.
	Unsized uint64 `json:"unsized,omitempty"`
}

// TileRow is the lines of a row of a tile.
type TileRow struct {
	First    int `json:"first"`
	Last     int `json:"last"`
	Rank     int `json:"rank"`
	LastRank int `json:"last_rank"` // of the last line
	World    int `json:"world"`
	Thread   int `json:"thread"`
	Threads  int `json:"threads"`
	// Read is how many of them are in the shares.
	Read int `json:"read"`
	// Sums are exact sums of each category in ns, unless the head says otherwise; with other values, in their unit.
	Sums []float64 `json:"sum_ns"`
}

// Classes are the classes of threads that made the same calls in the same order.
type Classes struct {
	// Total is how many there are; the first ones are listed.
	Total   int     `json:"total"`
	Classes []Class `json:"classes"`
}

// Class is a class of threads.
type Class struct {
	Class int `json:"class"`
	// First is the line of its first thread in the order "class", Lines how many threads it has.
	First  int `json:"first"`
	Lines  int `json:"lines"`
	World  int `json:"world"`
	Thread int `json:"thread"`
	// Ranks is a list such as "0-3,7", "" if it is too long to be sent.
	Ranks string `json:"ranks"`
	// Calls is how many calls they make together. InCalls and Computation are the time that goes to these and to all
	// else, if that was asked for.
	Calls       uint64  `json:"calls"`
	InCalls     float64 `json:"in_calls_ns,omitempty"`
	Computation float64 `json:"computation_ns,omitempty"`
}

// BandHead comes before the cells of bands: of each row the least share of each bin, then the medians, then the
// greatest ones, a byte each; 255 is all of the bin's time. Of an even number of threads the median is the lower one
// of the two in the middle.
type BandHead struct {
	Level int   `json:"level"`
	X     int64 `json:"x"`
	Bins  int   `json:"bins"`
	// Of is a category, or mpi: all but computation.
	Of string `json:"of"`
	// Exact is set if all threads were read.
	Exact bool      `json:"exact"`
	Rows  []BandRow `json:"rows"`
}

// BandRow is the band of a class.
type BandRow struct {
	Class int `json:"class"`
	Lines int `json:"lines"`
	// Read is how many of them are in the band.
	Read int `json:"read"`
}

// Lane is the calls of a thread in a window of time.
type Lane struct {
	Line
	From int64 `json:"from_ns"`
	To   int64 `json:"to_ns"`
	// Total is how many calls are in the window; if that is more than may be listed, Calls has none.
	Total uint64     `json:"total"`
	Calls []LaneCall `json:"calls"`
	// Loops are the executions of loops in the window, the outer ones first.
	Loops []LaneLoop `json:"loops"`
	// Regions are those that the program names itself.
	Regions []report.TimelineRegion `json:"regions"`
	// Sites are the call sites that Calls name by their places here.
	Sites []string `json:"sites"`
	// Kernels are the kernels of GPUs that Calls name by their places here.
	Kernels []Kernel `json:"kernels"`
}

// Kernel is a kernel of a GPU: as its source has it, and short.
type Kernel struct {
	Name  string `json:"name"`
	Short string `json:"short"`
}

// LaneCall is a call.
type LaneCall struct {
	Index    uint64 `json:"index"`
	Func     string `json:"func"`
	Category string `json:"category"`
	Start    int64  `json:"start_ns"`
	End      int64  `json:"end_ns"`
	// Site is a place in Lane.Sites, -1 if unknown.
	Site int `json:"site"`
	// Kernel is a place in Lane.Kernels, -1 if it is no kernel, or one without a name.
	Kernel     int  `json:"kernel"`
	Unfinished bool `json:"unfinished,omitempty"`
	// Nested calls were made by callbacks in the call before.
	Nested bool `json:"nested,omitempty"`
}

// LaneLoop is an iteration of a loop, or if From is less than To several that follow one another.
type LaneLoop struct {
	Level int    `json:"level"` // from 0
	Name  string `json:"name"`  // where it is in the source
	// Iteration is the number of the first one in all executions of the loop, of which there are Of.
	Iteration uint64 `json:"iteration"`
	Last      uint64 `json:"last_iteration"`
	Of        uint64 `json:"of"`
	Start     int64  `json:"start_ns"`
	End       int64  `json:"end_ns"`
	Step      bool   `json:"step,omitempty"` // the time-step loop
}

// Calls are calls with all parameters.
type Calls struct {
	Rank   int `json:"rank"`
	World  int `json:"world"`
	Thread int `json:"thread"`
	// Total is how many calls the thread made.
	Total uint64 `json:"total"`
	// Queue is that of the line.
	Queue string `json:"queue,omitempty"`
	// Kernels are the names of Calls that are kernels, by the number of the call.
	Kernels map[uint64]Kernel `json:"kernels,omitempty"`
	// Calls are documents as tabard dump --json prints them (tabard.call/1).
	Calls []json.RawMessage `json:"calls"`
}

// Steps is the strip of time steps.
type Steps struct {
	// Total is their number; each element of Begin stands for Stride of them, one after the other.
	Total  uint64 `json:"total"`
	Stride uint64 `json:"stride"`
	Region string `json:"region,omitempty"` // that a step is, if it is no iteration of a loop
	Loop   string `json:"loop,omitempty"`   // where the time-step loop is
	// Begin is when the steps begin, Length how long they take (the slowest process), Mean and Useful the mean
	// length and the greatest computation; in ns.
	Begin  []int64 `json:"begin_ns"`
	Length []int64 `json:"length_ns"`
	Mean   []int64 `json:"mean_ns"`
	Useful []int64 `json:"computation_ns"`
	Median int64   `json:"median_ns"`
	// Slow are those that take unusually long.
	Slow []report.SlowStep `json:"slow"`
}

// StepAt is where a time step is.
type StepAt struct {
	Step  uint64 `json:"step"`
	Total uint64 `json:"total"`
	// Begin and End are over the threads that were looked at, Ranks of Of.
	Begin int64 `json:"begin_ns"`
	End   int64 `json:"end_ns"`
	Ranks int   `json:"ranks"`
	Of    int   `json:"of"`
	// Rank, Thread, From and To are the calls [From, To) of the rank that begins first.
	Rank   int    `json:"rank"`
	Thread int    `json:"thread"`
	From   uint64 `json:"from"`
	To     uint64 `json:"to"`
}

// Arrows are messages in a window of time, with who waited for whom.
type Arrows struct {
	// Total is how many there are; if more than may be listed, Bundles has sums by pairs of ranks instead.
	Total   uint64   `json:"total"`
	Arrows  []Arrow  `json:"arrows"`
	Bundles []Bundle `json:"bundles"`
	// Formulas say what destinations are as functions of the rank, where that is known.
	Formulas []Formula `json:"formulas"`
}

// Arrow is a message.
type Arrow struct {
	From  int   `json:"from"` // ranks (numbers of processes)
	To    int   `json:"to"`
	Begin int64 `json:"begin_ns"` // of the call that sends
	End   int64 `json:"end_ns"`   // of the call that completes the receive
	// Posted is when the receiver began to wait, Wait how long it waited for the sender.
	Posted int64  `json:"posted_ns"`
	Wait   int64  `json:"wait_ns"`
	Bytes  int64  `json:"bytes"` // -1 unknown
	Tag    int32  `json:"tag"`
	Comm   int32  `json:"communicator"`
	Send   uint64 `json:"send"` // numbers of the calls in their threads
	Recv   uint64 `json:"receive"`
}

// Bundle is the messages of a pair of ranks.
type Bundle struct {
	From     int    `json:"from"`
	To       int    `json:"to"`
	Messages uint64 `json:"messages"`
	Bytes    int64  `json:"bytes"`
}

// InFlight is the memory that requests bind while they are under way: the answer of /api/inflight, which takes t0, t1,
// bins (at most 1024), rows (at most 64) and the selection. A buffer is bound from the begin of the call that begins
// the operation to the end of the one that completes it, or frees the request. Bin k of a row begins at
// From + k * Width; the last one ends at To.
type InFlight struct {
	From  int64         `json:"from_ns"`
	To    int64         `json:"to_ns"`
	Width int64         `json:"bin_ns"`
	Rows  []InFlightRow `json:"rows"`
}

// InFlightRow is one or several processes, in the order of their ranks.
type InFlightRow struct {
	Rank      int `json:"rank"`
	LastRank  int `json:"last_rank"`
	World     int `json:"world"` // of the first one
	Processes int `json:"processes"`
	// Mean is the bytes that all of the row together have bound, as the mean over each bin; Peak the most that a
	// single one of its processes had at a moment of the bin. Both are exact, but for buffers of unknown size.
	Mean []float64 `json:"mean_bytes"`
	Peak []int64   `json:"peak_bytes"`
	// Most is the greatest peak, MostRank (and MostWorld) who had it, and MostAt when it began; MostRank is -1 if
	// nothing was bound.
	Most      int64 `json:"most_bytes"`
	MostRank  int   `json:"most_rank"`
	MostWorld int   `json:"most_world"`
	MostAt    int64 `json:"most_ns"`
	// Requests is how many began to be under way in the whole run. Unsized are those with a buffer of unknown size,
	// which is left out, and Open those that nothing has completed: they bind until the last call of their process.
	Requests uint64 `json:"requests"`
	Unsized  uint64 `json:"unsized"`
	Open     uint64 `json:"open"`
}

// Formula is a parameter of a call that names a partner.
type Formula struct {
	Func  string `json:"func"`
	Site  string `json:"site"`
	Ranks string `json:"ranks"`
	// Text is such as "dest = rank+1".
	Text  string `json:"text"`
	Calls uint64 `json:"calls"`
}

// FunctionNest is which functions of the program were called, and where in the nest of functions.
type FunctionNest struct {
	// Timed tells whether calls of functions have times, Complete whether all places are listed.
	Timed    bool            `json:"timed"`
	Complete bool            `json:"complete"`
	Places   []FunctionPlace `json:"places"`
}

// FunctionPlace is a function at a place: those one level deeper that follow it were called there.
type FunctionPlace struct {
	Depth int    `json:"depth"`
	Name  string `json:"name"`
	Calls uint64 `json:"calls"`
	// Time is how long its calls took without the functions in them, as far as they have times.
	Time int64 `json:"own_ns"`
}

// Hits is what a search found.
type Hits struct {
	Query string `json:"query"`
	Hits  []Hit  `json:"hits"`
	// More tells that there are more, or that not everything was looked at.
	More bool `json:"more"`
}

// Hit is something with a name.
type Hit struct {
	Kind string `json:"kind"` // function, kernel, site, rank, region, communicator, value, step
	Text string `json:"text"`
	// Select are flags of the selection: {"function": "MPI_Send"}.
	Select map[string]string `json:"select"`
	Calls  uint64            `json:"calls"`
	// Rank, Thread and Call are the first such call, if it is known; else Rank is -1.
	Rank   int    `json:"rank"`
	Thread int    `json:"thread"`
	Call   uint64 `json:"call"`
}

// Code is a part of a program in C.
type Code struct {
	Title string   `json:"title"`
	Text  string   `json:"text"`
	Lines int      `json:"lines"`
	Notes []string `json:"notes"`
}

// Command is a command line that prints what a panel shows.
type Command struct {
	Line string `json:"line"`
}

// Pending says that an answer is being worked out.
type Pending struct {
	Pending bool   `json:"pending"`
	What    string `json:"what"`
	Done    uint64 `json:"done"`
	Total   uint64 `json:"total"` // 0 if it is not known
	// Held answers are not begun: somebody has to agree to what they take first, see What.
	Held bool `json:"held,omitempty"`
}

// Error says why there is no answer.
type Error struct {
	Error string `json:"error"`
}
