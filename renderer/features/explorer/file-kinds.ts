import { manifestFile } from '../../store/files'

/** What a file's icon says. The name says it too: the icon is a help for the eye. */
export type FileKind = {
  /** An SVG path on a 16 x 16 grid. */
  drawing: string
  /** A class of styles.css for its colour. */
  tone: string
}

const kinds = {
  manifest: {
    drawing:
      'M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8zM8 1.6v2M8 12.4v2M1.6 8h2M12.4 8h2M3.5 3.5l1.4 1.4M11.1 11.1l1.4 1.4M3.5 12.5l1.4-1.4M11.1 4.9l1.4-1.4',
    tone: 'explorer-kind-2',
  },
  cpp: { drawing: 'M7.6 4.8a3.8 3.8 0 1 0 0 6.4M10 8h4.4M12.2 5.8v4.4', tone: 'explorer-kind-1' },
  header: { drawing: 'M5 2.6v10.8M5 8.4c0-3.4 5.6-3.4 5.6.4v4.6', tone: 'explorer-kind-4' },
  cuda: {
    drawing:
      'M4.4 4.4h7.2v7.2H4.4zM6.4 1.6v2.8M9.6 1.6v2.8M6.4 11.6v2.8M9.6 11.6v2.8M1.6 6.4h2.8M1.6 9.6h2.8M11.6 6.4h2.8M11.6 9.6h2.8',
    tone: 'explorer-kind-3',
  },
  python: { drawing: 'M3 4.2 6.8 8 3 11.8M8.4 12h4.8', tone: 'explorer-kind-5' },
  json: {
    drawing:
      'M6.2 2.4c-2.2 0-2 1-2 2.6 0 1.4-.2 2.4-1.8 3 1.6.6 1.8 1.6 1.8 3 0 1.6-.2 2.6 2 2.6M9.8 2.4c2.2 0 2 1 2 2.6 0 1.4.2 2.4 1.8 3-1.6.6-1.8 1.6-1.8 3 0 1.6.2 2.6-2 2.6',
    tone: 'explorer-kind-2',
  },
  model: {
    drawing: 'M6 1.8h4v3H6zM1.6 11.2h4v3h-4zM10.4 11.2h4v3h-4zM8 4.8v3.4M3.6 11.2V8.2h8.8v3',
    tone: 'explorer-kind-6',
  },
  text: { drawing: 'M3 4h10M3 7h10M3 10h10M3 13h6', tone: '' },
  picture: {
    drawing: 'M2.2 3h11.6v10H2.2zM2.4 11.6 6 8l2.6 2.6 1.8-1.8 3.2 3M10.4 5.4v.6',
    tone: 'explorer-kind-3',
  },
  library: {
    drawing: 'M8 1.8 13.6 5v6L8 14.2 2.4 11V5zM2.6 5.1 8 8.2l5.4-3.1M8 8.2v5.8',
    tone: '',
  },
  other: { drawing: 'M4 1.8h5.2L12.4 5v9.2H4zM9 1.8V5.2h3.4', tone: '' },
} as const satisfies Record<string, FileKind>

const byExtension: Readonly<Record<string, keyof typeof kinds>> = {
  cpp: 'cpp',
  cc: 'cpp',
  cxx: 'cpp',
  c: 'cpp',
  h: 'header',
  hpp: 'header',
  hh: 'header',
  hxx: 'header',
  inl: 'header',
  ipp: 'header',
  cuh: 'header',
  cu: 'cuda',
  py: 'python',
  ipynb: 'python',
  json: 'json',
  yaml: 'json',
  yml: 'json',
  toml: 'json',
  pt: 'model',
  pth: 'model',
  pt2: 'model',
  md: 'text',
  txt: 'text',
  rst: 'text',
  png: 'picture',
  jpg: 'picture',
  jpeg: 'picture',
  svg: 'picture',
  so: 'library',
  node: 'library',
  a: 'library',
  o: 'library',
  whl: 'library',
  zip: 'library',
}

export function kindOf(path: string): FileKind {
  if (path === manifestFile) return kinds.manifest
  const name = path.slice(path.lastIndexOf('/') + 1)
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : ''
  return kinds[byExtension[extension] ?? 'other']
}

/** A model that the Graph panel shows: TorchScript or torch.export. */
export function isModel(name: string): boolean {
  return /\.(pt|pth|pt2)$/i.test(name)
}
