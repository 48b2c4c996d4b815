export { isRunner } from './job.decorators.js';
export { expiringTable } from './expired-rows.js';
export { DEFAULT_RETRY, defineJob, type Job, JobFault } from './job-kind.js';
