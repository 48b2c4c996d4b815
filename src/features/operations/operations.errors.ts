import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Operations', {
  job_not_found: { status: 404, message: 'There is no such job; what is done is not kept.' },
  job_planned: { status: 409, message: 'The job waits for the moment for which it was planned.' },
  job_replaced: { status: 409, message: 'The job was given up, and another one waits in its place: begin that.' },
  backups_elsewhere: {
    status: 409,
    message: 'Only the embedded database is backed up here: use what the server of the database offers.',
  },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
