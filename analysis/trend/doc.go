// Package trend compares recordings of the same program over time, and over numbers of ranks: whether a change made it
// worse (Check), how it developed (Compare of each run and the one before), and how it scales (Scale).
//
// # Paired comparison
//
// Time steps of two runs of a program do the same work, so that they are compared in pairs: step i of one with step i
// of the other. What a machine does besides only makes steps slower, ranks wait longer, and work less even. So of
// several recordings of a side the best value of each step counts, out of as many on both sides, so that one with more
// is not at an advantage: what is drawn is k of each, with k the smaller number. The change is the median over the
// steps of the differences, of times that of the quotients; where that of time is no regression, so is the mean
// without a tenth of the steps at each end, which also sees what happens in a quarter of the steps only, but has more
// noise. Its interval adds what the steps and what the recordings leave open. The first is the standard deviation by
// the bootstrap, in which steps are drawn in blocks of as many in a row as the root of their number, as neighbours are
// alike (Künsch, The jackknife and the bootstrap for general stationary observations, 1989). The second is that by the
// jackknife, which leaves out one recording after the other (Efron and Tibshirani, An Introduction to the Bootstrap,
// 1993), times the quantile of Student's distribution for as few recordings. A change is a regression if it is greater
// than the tolerance, and its whole interval is on the wrong side of none.
//
// Two single recordings cannot tell a slower program from a machine that was busier for the whole of one of them.
//
// # Cost
//
// Of each recording the values of at most MaxSteps time steps are kept, 32 bytes each, and the sums of its call sites.
// The draws of the bootstrap are always the same: the same recordings have the same answer.
package trend
