package comms

import "github.com/tabard-hpc/tabard/spec"

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
	byID
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

// action says what an operation does here.
type action struct {
	kind kind
	made string // how the communicator is said to be made, for names and people
}

var actions = map[spec.Operation]action{
	spec.OpCommDup:               {kind: dup, made: "dup"},
	spec.OpCommSplit:             {kind: split, made: "split"},
	spec.OpCommSplitType:         {kind: splitType, made: "split_type"},
	spec.OpCommCreate:            {kind: create, made: "create"},
	spec.OpCommCreateGroup:       {kind: createGroup, made: "create_group"},
	spec.OpCommCart:              {kind: cart, made: "cart"},
	spec.OpCommCartSub:           {kind: cartSub, made: "cart_sub"},
	spec.OpCommGraph:             {kind: graph, made: "graph"},
	spec.OpCommDistGraph:         {kind: distGraph, made: "dist_graph"},
	spec.OpCommDistGraphAdjacent: {kind: distGraphAdjacent, made: "dist_graph"},
	spec.OpIntercommCreate:       {kind: interCreate, made: "intercomm"},
	spec.OpIntercommFromGroups:   {kind: interFromGroups, made: "intercomm_from_groups"},
	spec.OpCommFromGroup:         {kind: fromGroup, made: "from_group"},
	spec.OpCommById:              {kind: byID, made: "by_id"},
	spec.OpCommMerge:             {kind: merge, made: "merge"},
	spec.OpSpawn:                 {kind: spawn, made: "spawn"},
	spec.OpGetParent:             {kind: getParent, made: "parent"},
	spec.OpAccept:                {kind: accept, made: "accept"},
	spec.OpConnect:               {kind: connect, made: "connect"},
	spec.OpJoin:                  {kind: join, made: "join"},
	spec.OpCommShrink:            {kind: shrink, made: "shrink"},
	spec.OpCommGroup:             {kind: groupOf},
	spec.OpCommRemoteGroup:       {kind: groupRemote},
	spec.OpWindowGroup:           {kind: groupOfWin},
	spec.OpFileGroup:             {kind: groupOfFile},
	spec.OpGroupPset:             {kind: groupPset},
	spec.OpGroupIncl:             {kind: groupIncl},
	spec.OpGroupExcl:             {kind: groupExcl},
	spec.OpGroupRangeIncl:        {kind: groupRangeIncl},
	spec.OpGroupRangeExcl:        {kind: groupRangeExcl},
	spec.OpGroupUnion:            {kind: groupUnion},
	spec.OpGroupIntersection:     {kind: groupIntersection},
	spec.OpGroupDifference:       {kind: groupDifference},
	spec.OpGroupFailed:           {kind: groupUnknown},
	spec.OpWindowCreate:          {kind: makeWin},
	spec.OpWindowCreateDynamic:   {kind: makeWin},
	spec.OpFileOpen:              {kind: makeFile},
	spec.OpCommFree:              {kind: free},
	spec.OpCommSetName:           {kind: setName},
	spec.OpCommRank:              {kind: askRank},
	spec.OpCommSize:              {kind: askSize},
	spec.OpCommRemoteSize:        {kind: askRemoteSize},
	spec.OpCartGet:               {kind: askCart},
	spec.OpGroupRank:             {kind: askGroupRank},
	spec.OpGroupSize:             {kind: askGroupSize},
	spec.OpGroupTranslate:        {kind: askTranslate},
}

// place is what a function does, with the slots of the parameters that matter, -1 for none.
type place struct {
	action
	onSlot   int // the communicator (or window, or file) it is called on
	peerSlot int // a second communicator
	g1Slot   int // groups
	g2Slot   int
	outSlot  int // the object it makes
}

var places = func() map[spec.ID]*place {
	m := map[spec.ID]*place{}
	for _, f := range spec.Functions() {
		a, ok := actions[f.Op]
		if !ok {
			continue
		}
		if a.kind == dup && f.Has(spec.Nonblocking) {
			a.made = "idup"
		}
		if f.Own() {
			a.made = "imported"
		}
		m[f.ID] = &place{action: a, onSlot: f.Slot(spec.RoleOn), peerSlot: f.Slot(spec.RolePeerComm),
			g1Slot: f.Slot(spec.RoleGroup), g2Slot: f.Slot(spec.RoleOtherGroup), outSlot: f.Slot(spec.RoleNew)}
	}
	return m
}()
