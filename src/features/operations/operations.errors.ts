import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Operations', {
  operation_not_found: { status: 404, message: 'The operation does not exist, or belongs to another account.' },
  operation_ended: { status: 409, message: 'The operation is not running, so it cannot be cancelled.' },
  job_not_found: { status: 404, message: 'Job not found. Completed jobs are not kept.' },
  job_planned: { status: 409, message: 'The job is scheduled for a later time and cannot be started now.' },
  job_replaced: { status: 409, message: 'The job failed, and a newer job replaces it. Start the newer job.' },
  backups_elsewhere: {
    status: 409,
    message: 'Backups are available for the embedded database only. Use the backup tools of your database server.',
  },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
