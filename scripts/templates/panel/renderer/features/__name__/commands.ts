import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { __camel__Job } from './job'

export const __camel__Commands: readonly Command[] = [
  {
    id: '__name__.run',
    title: '__title__: Count the operators',
    group: '__title__',
    run: async () => {
      showPanel('__name__', false)
      await __camel__Job.run(null)
    },
  },
]
