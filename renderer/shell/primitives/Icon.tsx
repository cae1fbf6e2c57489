import type { ReactElement } from 'react'

// Drawn on a 16 x 16 grid with a 1.4 px stroke; own drawings, so that no icon font has to load first.
const paths = {
  play: 'M5 3.2v9.6L12.6 8z',
  stop: 'M4 4h8v8H4z',
  error: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  warning: 'M8 2.2 14.2 13.4H1.8zM8 6.4v3.4M8 11.3v.6',
  note: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.2v4M8 4.6v.7',
  check: 'M2.8 8.6 6.2 12 13.2 4.4',
  // Closes a tab, or dismisses a message.
  close: 'M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4',
  // Empties a field, a list or a choice.
  clear: 'M2.4 4h9M2.4 8h5M2.4 12h4M9.4 9.4l4.2 4.2M13.6 9.4l-4.2 4.2',
  help: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.4a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.1v.6',
  back: 'M13.4 8H2.8M7 3.6 2.6 8 7 12.4',
  left: 'M10 3.6 5.6 8 10 12.4',
  right: 'M6 3.6 10.4 8 6 12.4',
  down: 'M3.6 6 8 10.4 12.4 6',
  file: 'M4 1.8h5.2L12.4 5v9.2H4zM9 1.8V5.2h3.4',
  folder: 'M1.8 3.8h4.4l1.4 1.6h6.6v7.2H1.8z',
  gear: 'M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8zM8 1.6v2M8 12.4v2M1.6 8h2M12.4 8h2M3.5 3.5l1.4 1.4M11.1 11.1l1.4 1.4M3.5 12.5l1.4-1.4M11.1 4.9l1.4-1.4',
  search: 'M7 2.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2zM10.4 10.4 14 14',
  copy: 'M5.4 5.4h8v8h-8zM3.2 10.6h-.6v-8h8v.8',
  bulb: 'M8 1.8a4.2 4.2 0 0 0-2.6 7.5c.5.4.8 1 .8 1.6v.3h3.6v-.3c0-.6.3-1.2.8-1.6A4.2 4.2 0 0 0 8 1.8zM6.4 13.6h3.2',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.4v2.8h-2.8',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  enlarge: 'M9.6 2.4h4v4M13.4 2.6 9.2 6.8M6.4 13.6h-4v-4M2.6 13.4l4.2-4.2',
  shrink: 'M13.2 6.4h-4v-4M9.4 6.2 13.6 2M2.8 9.6h4v4M6.6 9.8 2.4 14',
  pulse: 'M1.6 8.6h3l1.6-5 3 9 1.8-4h3.4',
  history: 'M8 2.4A5.6 5.6 0 1 1 2.6 6.4M2.4 3v3.4h3.4M8 5v3.2l2.2 1.4',
  clock: 'M8 2.4A5.6 5.6 0 1 0 8 13.6 5.6 5.6 0 0 0 8 2.4zM8 5v3.2l2.2 1.4',
  flask: 'M6 1.8h4M6.8 1.8v4.4L3 13a1 1 0 0 0 .9 1.4h8.2A1 1 0 0 0 13 13L9.2 6.2V1.8M4.8 10h6.4',
  dot: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  crash: 'M8.6 1.4 3.6 9h3.8l-1 5.6 6-8.2H8.4z',
  chip: 'M4.4 4.4h7.2v7.2H4.4zM6.4 1.6v2.8M9.6 1.6v2.8M6.4 11.6v2.8M9.6 11.6v2.8M1.6 6.4h2.8M1.6 9.6h2.8M11.6 6.4h2.8M11.6 9.6h2.8',
  target:
    'M8 2.4a5.6 5.6 0 1 0 0 11.2A5.6 5.6 0 0 0 8 2.4zM8 6.6a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.8zM8 .8v3M8 12.2v3M.8 8h3M12.2 8h3',
  shield: 'M8 1.6 13.2 3.6v4c0 3.2-2.2 5.5-5.2 6.8-3-1.3-5.2-3.6-5.2-6.8v-4zM8 5v3.4M8 10.4v.6',
  server: 'M2.4 2.6h11.2V7H2.4zM2.4 9h11.2v4.4H2.4zM5 4.7v.2M5 11.1v.2',
  absent: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5 8h6',
} as const
export type IconName = keyof typeof paths

const solid: ReadonlySet<IconName> = new Set(['play', 'stop', 'dot', 'crash'])

/** Decoration next to a word, unless `label` makes it speak for itself. */
export function Icon({ name, label }: { name: IconName; label?: string }): ReactElement {
  return (
    <Drawing
      path={paths[name]}
      isSolid={solid.has(name)}
      {...(label === undefined ? {} : { label })}
    />
  )
}

/** An icon that a feature draws for itself: a path on the same grid. */
export function Drawing({
  path,
  label,
  isSolid = false,
}: {
  path: string
  label?: string
  isSolid?: boolean
}): ReactElement {
  const named = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label }
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      fill={isSolid ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={isSolid ? 0 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...named}
    >
      <path d={path} />
    </svg>
  )
}
