"""Run the tests that pshmem contains: shared memory, locks of one-sided communication, batches of tasks."""

import pshmem.test

pshmem.test.run()
