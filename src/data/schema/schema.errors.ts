import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Schemas', {
  schema_invalid: { status: 422, message: 'The schema definitions have faults.' },
  schema_not_found: { status: 404, message: 'There is no such schema.' },
  migration_destructive: {
    status: 409,
    message: 'The change would lose data. Look at its steps, and send allow_data_loss=true if that is meant.',
  },
  migration_blocked: { status: 409, message: 'The data does not allow the change.' },
  plan_changed: { status: 409, message: 'The plan is not the one that was seen; plan again.' },
  schema_changed: { status: 409, message: 'The schemas were changed by somebody else at the same time.' },
  schema_version_mismatch: { status: 412, message: 'The schemas have another version by now.' },
  undo_impossible: { status: 409, message: 'The last change cannot be undone without losing data.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
