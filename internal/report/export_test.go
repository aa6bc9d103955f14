package report

// What the tests of all views need of the steps that build a document.
const Columns = columns
const MostColumns = mostColumns
const MostSteps = mostSteps

var Alternatives = (*Document).alternatives
var Headline = (*Document).headline
var HeatOf = heat
var Next = (*Document).next
var SetCorrelations = (*Document).setCorrelations
var SetEvents = (*Document).setEvents
var SetNetwork = (*Document).setNetwork
var SetStalls = (*Document).setStalls
var SlowestOf = slowestOf
var TrialOf = trial
var WriteSentences = (*Document).writeSentences
