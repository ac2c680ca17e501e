package timeline

// FitOverview is MakeOverview of calls that may be few.
var FitOverview = fitOverview
