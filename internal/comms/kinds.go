package comms

import "tabard/spec"

// kind is what a call does, as far as communicators are concerned.
type kind uint8

const (
	other kind = iota

	// Collective over one communicator, in the same order at all members.
	dup
	split
	splitType
	create
	cart
	cartSub
	graph
	distGraph
	distGraphAdjacent
	merge
	shrink
	interCreate
	spawn
	accept
	connect

	// Made otherwise.
	createGroup
	fromGroup
	interFromGroups
	join
	getParent

	// Groups.
	groupOf
	groupRemote
	groupOfWin
	groupOfFile
	groupPset
	groupIncl
	groupExcl
	groupRangeIncl
	groupRangeExcl
	groupUnion
	groupIntersection
	groupDifference
	groupUnknown

	// Made on a communicator; their groups can be asked for.
	makeWin
	makeFile

	free
	setName

	// Questions, whose answers are used and checked.
	askRank
	askSize
	askRemoteSize
	askCart
	askGroupRank
	askGroupSize
	askTranslate
)

// collective tells whether calls of kind k are in the same order at all members.
func (k kind) collective() bool { return k >= dup && k <= connect }

// makes tells whether a call of kind k makes a communicator.
func (k kind) makes() bool { return k >= dup && k <= getParent }

func (k kind) group() bool    { return k >= groupOf && k <= groupUnknown }
func (k kind) question() bool { return k >= askRank }

// action says what a function does and which of its parameters matter.
type action struct {
	kind   kind
	on     string // the communicator (or window, or file) it is called on
	peer   string // a second communicator
	g1, g2 string // groups
	out    string // the object it makes
	made   string // how the communicator is said to be made, for names and people
}

var actions = map[string]action{
	"MPI_Comm_dup":                     {kind: dup, on: "comm", out: "newcomm", made: "dup"},
	"MPI_Comm_dup_with_info":           {kind: dup, on: "comm", out: "newcomm", made: "dup"},
	"MPI_Comm_idup":                    {kind: dup, on: "comm", out: "newcomm", made: "idup"},
	"MPI_Comm_idup_with_info":          {kind: dup, on: "comm", out: "newcomm", made: "idup"},
	"MPI_Comm_split":                   {kind: split, on: "comm", out: "newcomm", made: "split"},
	"MPI_Comm_split_type":              {kind: splitType, on: "comm", out: "newcomm", made: "split_type"},
	"MPI_Comm_create":                  {kind: create, on: "comm", g1: "group", out: "newcomm", made: "create"},
	"MPI_Comm_create_group":            {kind: createGroup, on: "comm", g1: "group", out: "newcomm", made: "create_group"},
	"MPI_Cart_create":                  {kind: cart, on: "comm_old", out: "comm_cart", made: "cart"},
	"MPI_Cart_sub":                     {kind: cartSub, on: "comm", out: "newcomm", made: "cart_sub"},
	"MPI_Graph_create":                 {kind: graph, on: "comm_old", out: "comm_graph", made: "graph"},
	"MPI_Dist_graph_create":            {kind: distGraph, on: "comm_old", out: "comm_dist_graph", made: "dist_graph"},
	"MPI_Dist_graph_create_adjacent":   {kind: distGraphAdjacent, on: "comm_old", out: "comm_dist_graph", made: "dist_graph"},
	"MPI_Intercomm_create":             {kind: interCreate, on: "local_comm", peer: "peer_comm", out: "newintercomm", made: "intercomm"},
	"MPI_Intercomm_create_from_groups": {kind: interFromGroups, g1: "local_group", g2: "remote_group", out: "newintercomm", made: "intercomm_from_groups"},
	"MPI_Comm_create_from_group":       {kind: fromGroup, g1: "group", out: "newcomm", made: "from_group"},
	"MPI_Intercomm_merge":              {kind: merge, on: "intercomm", out: "newintracomm", made: "merge"},
	"MPI_Comm_spawn":                   {kind: spawn, on: "comm", out: "intercomm", made: "spawn"},
	"MPI_Comm_spawn_multiple":          {kind: spawn, on: "comm", out: "intercomm", made: "spawn"},
	"MPI_Comm_get_parent":              {kind: getParent, out: "parent", made: "parent"},
	"MPI_Comm_accept":                  {kind: accept, on: "comm", out: "newcomm", made: "accept"},
	"MPI_Comm_connect":                 {kind: connect, on: "comm", out: "newcomm", made: "connect"},
	"MPI_Comm_join":                    {kind: join, out: "intercomm", made: "join"},
	"MPIX_Comm_shrink":                 {kind: shrink, on: "comm", out: "newcomm", made: "shrink"},

	"MPI_Comm_group":              {kind: groupOf, on: "comm", out: "group"},
	"MPI_Comm_remote_group":       {kind: groupRemote, on: "comm", out: "group"},
	"MPI_Win_get_group":           {kind: groupOfWin, on: "win", out: "group"},
	"MPI_File_get_group":          {kind: groupOfFile, on: "fh", out: "group"},
	"MPI_Group_from_session_pset": {kind: groupPset, out: "newgroup"},
	"MPI_Group_incl":              {kind: groupIncl, g1: "group", out: "newgroup"},
	"MPI_Group_excl":              {kind: groupExcl, g1: "group", out: "newgroup"},
	"MPI_Group_range_incl":        {kind: groupRangeIncl, g1: "group", out: "newgroup"},
	"MPI_Group_range_excl":        {kind: groupRangeExcl, g1: "group", out: "newgroup"},
	"MPI_Group_union":             {kind: groupUnion, g1: "group1", g2: "group2", out: "newgroup"},
	"MPI_Group_intersection":      {kind: groupIntersection, g1: "group1", g2: "group2", out: "newgroup"},
	"MPI_Group_difference":        {kind: groupDifference, g1: "group1", g2: "group2", out: "newgroup"},
	"MPIX_Comm_failure_get_acked": {kind: groupUnknown, on: "comm", out: "failedgrp"},
	"MPI_Win_create":              {kind: makeWin, on: "comm", out: "win"},
	"MPI_Win_create_c":            {kind: makeWin, on: "comm", out: "win"},
	"MPI_Win_allocate":            {kind: makeWin, on: "comm", out: "win"},
	"MPI_Win_allocate_c":          {kind: makeWin, on: "comm", out: "win"},
	"MPI_Win_allocate_shared":     {kind: makeWin, on: "comm", out: "win"},
	"MPI_Win_allocate_shared_c":   {kind: makeWin, on: "comm", out: "win"},
	"MPI_Win_create_dynamic":      {kind: makeWin, on: "comm", out: "win"},
	"MPI_File_open":               {kind: makeFile, on: "comm", out: "fh"},
	"MPI_Comm_free":               {kind: free, on: "comm"},
	"MPI_Comm_disconnect":         {kind: free, on: "comm"},
	"MPI_Comm_set_name":           {kind: setName, on: "comm"},
	"MPI_Comm_rank":               {kind: askRank, on: "comm"},
	"MPI_Comm_size":               {kind: askSize, on: "comm"},
	"MPI_Comm_remote_size":        {kind: askRemoteSize, on: "comm"},
	"MPI_Cart_get":                {kind: askCart, on: "comm"},
	"MPI_Group_rank":              {kind: askGroupRank, g1: "group"},
	"MPI_Group_size":              {kind: askGroupSize, g1: "group"},
	"MPI_Group_translate_ranks":   {kind: askTranslate, g1: "group1", g2: "group2"},
}

// place is an action with the slots of the parameters, -1 for none.
type place struct {
	action
	onSlot, peerSlot, g1Slot, g2Slot, outSlot int
}

var places = func() map[spec.ID]*place {
	m := make(map[spec.ID]*place, len(actions))
	for name, a := range actions {
		f := spec.ByName(name)
		if f == nil {
			panic("comms: the standard has no " + name)
		}
		m[f.ID] = &place{action: a, onSlot: slotOf(f, a.on, false), peerSlot: slotOf(f, a.peer, false),
			g1Slot: slotOf(f, a.g1, false), g2Slot: slotOf(f, a.g2, false), outSlot: slotOf(f, a.out, true)}
	}
	return m
}()

// slotOf is the slot of a named parameter, -1 for the empty name.
func slotOf(f *spec.Func, name string, out bool) int {
	if name == "" {
		return -1
	}
	for i := range f.Slots {
		if s := &f.Slots[i]; s.Out == out && s.Param >= 0 && f.Params[s.Param].Name == name {
			return i
		}
	}
	panic("comms: " + f.Name + " has no parameter " + name)
}
