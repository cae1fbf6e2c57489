import { afterEach } from 'vitest'

import { App } from './app'

// Of apps that outlive the test: one that is closed after each test tells by itself.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await App.tellRunning(task.name)
})
