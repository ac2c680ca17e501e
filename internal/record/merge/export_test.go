package merge

// Restrict is restrict for the tests.
var Restrict = restrict
