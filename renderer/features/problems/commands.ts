import type { Command } from '../../store/commands'
import { openFile } from '../../store/layout'
import { currentProblems } from '../../store/problems'

export const problemsCommands: readonly Command[] = [
  {
    id: 'problems.next',
    title: 'Next problem',
    group: 'Go',
    shortcut: 'F8',
    run: () => goToProblem(1),
  },
  {
    id: 'problems.previous',
    title: 'Previous problem',
    group: 'Go',
    shortcut: 'Shift+F8',
    run: () => goToProblem(-1),
  },
]

let visited = -1

function goToProblem(step: 1 | -1): void {
  const places = currentProblems().filter((item) => item.file !== '' && item.line > 0)
  if (places.length === 0) return
  const from = visited < 0 && step < 0 ? 0 : visited
  visited = (from + step + places.length) % places.length
  const place = places[visited]
  if (place) openFile(place.file, place.line, Math.max(place.column, 1))
}
