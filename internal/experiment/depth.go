package experiment

import "bytes"

// mostNested is how many levels of flow collections, or of block entries on one line, are
// read. The YAML library takes memory in the square of them: 30 kB of "[" take 1.5 GB.
const mostNested = 100

// tooDeep is the line, from 1, on which a text nests too deeply, 0 where none does. It
// counts characters and knows no quotes or comments, so it is generous: 100 more brackets
// opened than closed, in text too, are in no experiment.
func tooDeep(text []byte) int {
	flow, number := 0, 0
	for line := range bytes.Lines(text) {
		number++
		flow += bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		closed := bytes.Count(line, []byte("]")) + bytes.Count(line, []byte("}"))
		if flow > mostNested || bytes.Count(line, []byte("- ")) > mostNested || bytes.Count(line, []byte("? ")) > mostNested {
			return number
		}
		flow = max(0, flow-closed)
	}
	return 0
}
