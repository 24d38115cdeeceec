export { budgetsJob } from './budgets.job';
export { expiryJob } from './expiry.job';
export { defineJob, type JobProcessor, type JobSpec } from './job';
export { JobQueue } from './job-queue';
export { prepareJobStore, type JobStore } from './job-store';
export { JobWorker } from './job-worker';
export { logPartitionsJob } from './log-partitions.job';
export { JOBS, processorsByName } from './registry';
