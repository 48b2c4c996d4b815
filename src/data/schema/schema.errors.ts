import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Schemas', {
  schema_invalid: { status: 422, message: 'The schema definitions are not valid.' },
  schema_not_found: { status: 404, message: 'Schema not found.' },
  migration_destructive: {
    status: 409,
    message: 'The change would lose data. Review its steps, then send allow_data_loss=true to apply it.',
  },
  migration_blocked: { status: 409, message: 'Existing data prevents the change.' },
  plan_changed: { status: 409, message: 'The plan has changed. Request a new plan.' },
  schema_changed: { status: 409, message: 'The schemas were changed by another request. Try again.' },
  schema_version_mismatch: { status: 412, message: 'The schema version has changed. Read the schemas again.' },
  undo_impossible: { status: 409, message: 'The last change cannot be undone without losing data.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
