import fs from 'node:fs'
import path from 'node:path'

import { manifestFileName } from '../../../contract/manifest'
import { err } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { ioError, writeAtomically } from '../../../engine/project/files'
import { readManifest } from '../../../engine/project/read-manifest'
import type { Workbench } from '../../../engine/workbench'
import { buildAloud, buildJson } from '../../building'
import { exitCodes } from '../../exit-codes'
import { describeTaken, diffOutput, graphOutput } from './output'
import { defaultGraphOptions, graphVerbOptions, readGraphOptions } from './options'
import type { GraphOptions } from './options'
import { graphOfFile, graphOfProject } from './source'
import type { TakenGraph } from './source'
import type { OptionValues } from '../../options'
import { callerPath, printError, printJson, progress } from '../../print'
import { defineVerb } from '../../verb'

/** A folder is a project, a file a model; opsmith.json stands for its folder. */
function kindOfTarget(target: string): 'project' | 'file' | undefined {
  const stat = fs.statSync(target, { throwIfNoEntry: false })
  return stat?.isDirectory() ? 'project' : stat ? 'file' : undefined
}

/** Builds a project aloud. A number is the exit code of a build that did not come about. */
async function buildFor(
  workbench: Workbench,
  folder: string,
  json: boolean,
): Promise<number | undefined> {
  const build = await buildAloud(workbench, folder)
  if (!build.ok) return printError(build.error, json)
  if (build.value.ok) return undefined
  if (json) printJson({ ok: false, build: buildJson(build.value) })
  else progress('the build failed')
  return exitCodes.failed
}

async function takeGraph(
  workbench: Workbench,
  target: string,
  options: GraphOptions,
): Promise<Result<TakenGraph> | number> {
  const json = options.format === 'json'
  if (kindOfTarget(target) === 'project') {
    const manifest = await readManifest(target)
    if (!manifest.ok) return manifest
    const failed = await buildFor(workbench, target, json)
    if (failed !== undefined) return failed
    return await graphOfProject(workbench, target, manifest.value, options)
  }
  const folder = options.project === '' ? '' : callerPath(options.project)
  if (folder !== '') {
    const failed = await buildFor(workbench, folder, json)
    if (failed !== undefined) return failed
  }
  return await graphOfFile(workbench, target, folder, options)
}

/** What a graph is compared with: a model file, by its script graph; the entry of the same name if it has one. */
async function takeOther(
  workbench: Workbench,
  file: string,
  folder: string,
  taken: TakenGraph,
  timeout: number,
): Promise<Result<TakenGraph>> {
  const plain = { ...defaultGraphOptions, timeout }
  const named = await graphOfFile(workbench, file, folder, { ...plain, entry: taken.graph.name })
  if (named.ok || named.error.code !== 'operator.unknown') return named
  return await graphOfFile(workbench, file, folder, plain)
}

async function write(text: string, output: string): Promise<Result<null>> {
  if (output === '') {
    process.stdout.write(text)
    return { ok: true, value: null }
  }
  try {
    await writeAtomically(output, text)
    progress(output)
    return { ok: true, value: null }
  } catch (error) {
    return ioError(error, `write ${output}`)
  }
}

/** `opsmith graph`: one graph to stdout or a file, or how it differs from another. */
async function runGraph(
  workbench: Workbench,
  named: string,
  given: OptionValues<typeof graphVerbOptions>,
): Promise<number> {
  const read = readGraphOptions(given)
  const asJson = given.json || given.format === 'json'
  if (!read.ok) return printError(read.error, asJson)
  const options: GraphOptions = {
    ...read.value,
    save: read.value.save === '' ? '' : callerPath(read.value.save),
    output: read.value.output === '' ? '' : callerPath(read.value.output),
    diff: read.value.diff === '' ? '' : callerPath(read.value.diff),
  }
  const target = path.basename(named) === manifestFileName ? path.dirname(named) : named
  for (const file of [target, options.diff]) {
    if (file === '' || fs.existsSync(file)) continue
    return printError(err('project.missing', `${file} does not exist.`).error, asJson)
  }
  const taken = await takeGraph(workbench, target, options)
  if (typeof taken === 'number') return taken
  if (!taken.ok) return printError(taken.error, asJson)
  for (const line of describeTaken(taken.value)) progress(line)
  if (options.diff === '') {
    const written = await write(graphOutput(taken.value, options.format), options.output)
    return written.ok ? exitCodes.good : printError(written.error, asJson)
  }
  const folder =
    kindOfTarget(target) === 'project'
      ? target
      : options.project === ''
        ? ''
        : callerPath(options.project)
  const other = await takeOther(workbench, options.diff, folder, taken.value, options.timeout)
  if (!other.ok) return printError(other.error, asJson)
  const format = options.format === 'dot' ? 'text' : options.format
  const compared = diffOutput(other.value.graph, taken.value.graph, format)
  const written = await write(compared.text, options.output)
  if (!written.ok) return printError(written.error, asJson)
  return compared.same ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'graph',
  order: 6,
  description:
    "print the graph of an operator, of a saved model, or of a function of the project's TorchScript program",
  argument: {
    name: 'project or file',
    description:
      'folder with opsmith.json, a saved model (.pt, .pt2), or a graph that was saved as .json',
    isOptional: false,
  },
  options: graphVerbOptions,
  runsOperators: true,
  run: runGraph,
})
