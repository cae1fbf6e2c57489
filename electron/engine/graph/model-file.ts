import fs from 'node:fs/promises'

import { err, ok, WorkbenchFailure } from '../../contract/outcome'
import type { GraphArchive } from '../../contract/graph'
import type { Result } from '../../contract/outcome'
import { ioError } from '../project/files'
import { ZipReader } from './zip-file'

/** Where torch.export keeps its graphs: models/NAME.json since 2.8, one file at the root before. */
export const exportedModel =
  /^(?:[^/]+\/)?(?:models\/([^/]+)\.json|serialized_exported_program\.json)$/

/** PyTorch compresses the code of a model alone, and stores its tensors as they are; in bytes. */
const mostUnpacked = 512 << 20

const modelHint =
  'Opsmith opens models that were saved by torch.jit.save (.pt), torch.export.save (.pt2) or opsmith graph --format json.'

/** A zip archive's names say what wrote it. */
function kindOfArchive(
  file: string,
  { names, unpackedBytes }: ZipReader,
): Result<GraphArchive['kind']> {
  if (unpackedBytes > mostUnpacked) {
    return err(
      'input.invalid',
      `Opsmith does not open ${file}: the compressed files in it unpack to ${unpackedBytes} bytes, but the limit is ${mostUnpacked} bytes.`,
      {
        hint: 'PyTorch does not compress tensors, so another program wrote this file. Save the model again with PyTorch.',
      },
    )
  }
  const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name))
  if (has(exportedModel)) return ok('export')
  // TorchScript keeps sources under code/; both kinds have data.pkl or constants.pkl.
  if (has(/^[^/]+\/code\//) || has(/^[^/]+\/constants\.pkl$/)) return ok('torchscript')
  if (has(/(^|\/)data\/aotinductor\//)) {
    return err('input.invalid', `${file} contains compiled code (AOTInductor), but no graph.`, {
      hint: 'Save the exported program itself: torch.export.save(program, "model.pt2").',
    })
  }
  if (has(/^[^/]+\/data\.pkl$/)) {
    return err(
      'input.invalid',
      `${file} was written by torch.save, so the file contains tensors, but no graph.`,
      {
        hint: 'Save the scripted or traced module instead: torch.jit.script(model).save("model.pt").',
      },
    )
  }
  if (has(/^[^/]+\/model\.json$/)) {
    return err(
      'input.invalid',
      `Opsmith cannot read ${file}, a TorchScript archive of PyTorch 1.3 or older.`,
      {
        hint: 'Load the model in PyTorch 1.4 to 2.0, and save the model again with that PyTorch.',
      },
    )
  }
  return err('input.invalid', `${file} is a zip archive, but PyTorch did not write it.`, {
    hint: modelHint,
  })
}

/** What a file is by its content; its name may be anything. */
export async function fileKind(file: string): Promise<Result<GraphArchive['kind']>> {
  try {
    // Opening a named pipe would wait for a writer.
    if (!(await fs.stat(file)).isFile()) {
      return err('io', `${file} is not a file.`, { hint: 'Choose a .pt, .pt2 or .json file.' })
    }
    const handle = await fs.open(file)
    const head = Buffer.alloc(64)
    try {
      await handle.read(head, 0, head.length, 0)
    } finally {
      await handle.close()
    }
    if (head.subarray(0, 2).toString('latin1') === 'PK') {
      const zip = await ZipReader.open(file)
      try {
        return kindOfArchive(file, zip)
      } finally {
        zip.close()
      }
    }
    const text = head
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart()
    if (text.startsWith('{')) return ok('graph')
    return err(
      'input.invalid',
      `${file} is not a TorchScript archive, a torch.export archive or a graph as JSON.`,
      { hint: modelHint },
    )
  } catch (error) {
    if (error instanceof WorkbenchFailure) return { ok: false, error: error.error }
    return ioError(error, `read ${file}`)
  }
}
