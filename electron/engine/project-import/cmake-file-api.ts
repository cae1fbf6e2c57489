import fs from 'node:fs/promises'
import path from 'node:path'

import { z } from 'zod'

import { joinOwn } from '../project/inside'

/** Where CMake's File API looks for questions and leaves its answers, in the build folder. */
const apiFolder = path.join('.cmake', 'api', 'v1')
const query = 'codemodel-v2'

/** An index into the target's `backtraceGraph.nodes`. */
const backtrace = z.number().optional()

const target = z.object({
  id: z.string(),
  name: z.string(),
  /** "libname.so"; "" for what is no file. */
  nameOnDisk: z.string().default(''),
  /** SHARED_LIBRARY, MODULE_LIBRARY, STATIC_LIBRARY, OBJECT_LIBRARY, EXECUTABLE, … */
  type: z.string(),
  sources: z
    .array(
      z.object({
        /** Relative to the source folder where it is inside; else absolute. */
        path: z.string(),
        isGenerated: z.boolean().optional(),
        /** Absent for headers and other files that are not compiled. */
        compileGroupIndex: z.number().optional(),
        backtrace,
      }),
    )
    .default([]),
  compileGroups: z
    .array(
      z.object({
        language: z.string(),
        compileCommandFragments: z.array(z.object({ fragment: z.string(), backtrace })).default([]),
        defines: z.array(z.object({ define: z.string(), backtrace })).default([]),
        includes: z.array(z.object({ path: z.string(), backtrace })).default([]),
      }),
    )
    .default([]),
  link: z
    .object({
      commandFragments: z
        .array(z.object({ fragment: z.string(), role: z.string(), backtrace }))
        .default([]),
    })
    .optional(),
  dependencies: z.array(z.object({ id: z.string() })).default([]),
  backtrace,
  backtraceGraph: z.object({
    commands: z.array(z.string()),
    /** Relative to the source folder where they are inside. */
    files: z.array(z.string()),
    nodes: z.array(
      z.object({
        file: z.number(),
        line: z.number().optional(),
        command: z.number().optional(),
        parent: z.number().optional(),
      }),
    ),
  }),
})
/** A target as CMake's codemodel describes it. */
export type CMakeTarget = z.infer<typeof target>

const codemodel = z.object({
  configurations: z
    .array(
      z.object({
        projects: z.array(z.object({ name: z.string() })),
        targets: z.array(z.object({ jsonFile: z.string() })),
      }),
    )
    .min(1),
})

export interface CMakeModel {
  /** The name that the first project() gives. */
  projectName: string
  targets: CMakeTarget[]
}

/** Asks for the codemodel: CMake answers when it configures this build folder. */
export async function askForModel(build: string): Promise<void> {
  const folder = path.join(build, apiFolder, 'query')
  await fs.mkdir(folder, { recursive: true })
  await fs.writeFile(path.join(folder, query), '')
}

/**
 * Reads CMake's answer; throws where there is none or where it is of another form.
 * @param original turns a text of CMake's into one about the repository: CMake saw a copy of it
 */
export async function readModel(
  build: string,
  original: (text: string) => string,
): Promise<CMakeModel> {
  const folder = path.join(build, apiFolder, 'reply')
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(original(await fs.readFile(joinOwn(folder, name), 'utf8')))
  const names = await fs.readdir(folder)
  const name = names.find((one) => one.startsWith(query)) ?? query
  const [configuration] = codemodel.parse(await read(name)).configurations
  const targets = (configuration?.targets ?? []).map(async ({ jsonFile }) =>
    target.parse(await read(jsonFile)),
  )
  return {
    projectName: configuration?.projects[0]?.name ?? '',
    targets: await Promise.all(targets),
  }
}
