import { z } from 'zod'

import { projectTemplate } from './project'

/** What the window asks main about new projects and operators. */
export const newProjectCalls = {
  /** A project to look at models in that belong to none; made where it is not there. */
  'project.ofModels': { input: z.object({}), output: z.object({ folder: z.string() }) },
  /** What a new project can begin as, and the folder that it is made in if the user chooses no other; absolute. */
  'project.templates': {
    input: z.object({}),
    output: z.object({ templates: z.array(projectTemplate), parent: z.string() }),
  },
  /** Makes a project in the folder `name` of `parent` (absolute), which is made too. */
  'project.new': {
    input: z.object({ name: z.string().max(200), parent: z.string(), template: z.string() }),
    output: z.object({ folder: z.string() }),
  },
  /** Adds an operator: a source from a template with `isOperator`, and its entries of opsmith.json. */
  'project.addOperator': {
    input: z.object({ folder: z.string(), name: z.string().max(200), template: z.string() }),
    /** `file`: its C++ source, relative to the project. */
    output: z.object({ operator: z.string(), file: z.string() }),
  },
}
