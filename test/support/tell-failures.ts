import { afterEach, TestRunner } from 'vitest'

import { App } from './app'

// An app that is closed after its test shows nothing once afterEach is called here.
App.beforeClose = async () => {
  const test = TestRunner.getCurrentTest()
  if (test?.result?.state === 'fail') await App.tellRunning(test.name)
}

// Of apps that outlive the test.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await App.tellRunning(task.name)
})
