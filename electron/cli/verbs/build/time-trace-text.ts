import type { Result } from '../../../contract/outcome'
import { ok } from '../../../contract/outcome'
import type { FileTime, TimeCost, TimeTrace } from '../../../contract/time-trace'
import { traceEventsOf } from '../../../engine/compile/time-trace'
import { ioError, writeAtomically } from '../../../engine/project/files'

const seconds = (value: number | undefined): string =>
  value === undefined ? '–' : value.toFixed(value < 10 ? 3 : 1)

/** Without the events: those go into the file. */
export function timeTraceJson(trace: TimeTrace, load: number | undefined): object {
  const { link, headers, templates, remarks } = trace
  return {
    files: trace.files.map(({ label, start, seconds: took, phases, costs }) => ({
      label,
      start,
      seconds: took,
      costs,
      phases: phases ?? null,
    })),
    link: link?.seconds ?? null,
    load: load ?? null,
    headers,
    templates,
    remarks,
  }
}

/** A table of the files, then what cost most. */
export function timeTraceText(trace: TimeTrace, load: number | undefined): string[] {
  const heads = ['seconds', 'headers', 'templates', 'front end', 'back end', 'other']
  const row = ({ label, seconds: took, phases }: FileTime): string[] => [
    label,
    ...[
      took,
      phases?.headers,
      phases?.templates,
      phases?.frontEnd,
      phases?.backEnd,
      phases?.other,
    ].map(seconds),
  ]
  const rows = [['', ...heads], ...trace.files.map(row)]
  if (trace.link) rows.push([`link ${trace.link.label}`, seconds(trace.link.seconds)])
  if (load !== undefined) rows.push(['load', seconds(load)])
  const width = Math.max(...rows.map(([label = '']) => label.length))
  const lines = rows.map(([label = '', ...cells]) =>
    [label.padEnd(width), ...cells.map((cell) => cell.padStart(10))].join('').trimEnd(),
  )
  const costs = (title: string, list: readonly TimeCost[]): string[] =>
    list.length === 0
      ? []
      : [
          '',
          title,
          ...list.map(
            ({ name, seconds: took, count }) =>
              `${seconds(took).padStart(8)} s  ${name}${count > 1 ? ` (${count} times)` : ''}`,
          ),
        ]
  return [
    ...lines,
    ...costs('Slowest headers (each time includes the headers that they include):', trace.headers),
    ...costs('Slowest templates (each time includes all their instantiations):', trace.templates),
    ...(trace.remarks.length === 0 ? [] : ['', ...trace.remarks]),
  ]
}

export async function writeTrace(
  file: string,
  trace: TimeTrace,
  load: number | undefined,
): Promise<Result<null>> {
  try {
    await writeAtomically(file, JSON.stringify(traceEventsOf(trace, load)))
    return ok(null)
  } catch (error) {
    return ioError(error, `write ${file}`)
  }
}
