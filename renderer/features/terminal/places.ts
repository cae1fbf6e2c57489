/** A place in a file, as a line of output names it. */
export type PlaceInText = {
  file: string
  line: number
  /** 1 where none is named. */
  column: number
  /** Offsets of the words that name it. */
  start: number
  end: number
}

/** "op.cpp:12:3", "/a/b.cu:7", and Python's `File "program.py", line 4`. */
const patterns = [
  /(?<file>[\w./+~-]*\.[A-Za-z]\w*):(?<line>\d+)(?::(?<column>\d+))?/g,
  /File "(?<file>[^"]+)", line (?<line>\d+)/g,
]

/** Every place that a line of output names. */
export function placesIn(text: string): PlaceInText[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const { file = '', line = '', column = '1' } = match.groups ?? {}
      const start = match.index
      const end = start + match[0].length
      return { file, line: Number(line), column: Number(column), start, end }
    }),
  )
}
