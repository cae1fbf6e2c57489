import { defineFeature } from '../../store/feature'
import { __camel__Commands } from './commands'
import { __camel__Job } from './job'
import { __Name__Panel } from './__Name__Panel'
import './styles.css'

export const feature = defineFeature({
  id: '__name__',
  title: '__title__',
  panel: {
    Panel: __Name__Panel,
    icon: 'M2 8h12',
    help: { about: ['What __title__ is for, and how to begin.'] },
    area: 'right',
    order: 100,
  },
  commands: __camel__Commands,
  jobs: [__camel__Job],
})
