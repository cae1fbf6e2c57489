import { defineFeature } from '../../store/feature'
import { followBlame, forgetBlame } from './blame'
import { gitActions, gitCommands } from './commands'
import { HeadTab, titleOf } from './HeadTab'
import { followLineMarks } from './line-marks'
import { followStatus, forgetStatus } from './status'
import './styles.css'

export const feature = defineFeature({
  id: 'git',
  title: 'Git',
  tab: { Tab: HeadTab, title: titleOf, icon: 'M2 3h5v10H2zM9 3h5v10H9zM10.4 8h2.2M11.5 6.9v2.2' },
  commands: gitCommands,
  fileActions: gitActions,
  start: () => {
    followStatus()
    followLineMarks()
    followBlame()
  },
  forget: () => {
    forgetBlame()
    forgetStatus()
  },
})
