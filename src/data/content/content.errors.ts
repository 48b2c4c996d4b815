import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Content', {
  field_invalid: { status: 400, message: 'Some values do not fit their fields.' },
  record_not_found: { status: 404, message: 'There is no such record.' },
  unique_violation: { status: 409, message: 'Another record has this value already.' },
  links_truncated: {
    status: 409,
    message: 'A list does not replace this many links. Write $add and $remove, or $set to replace all of them.',
  },
  record_in_use: { status: 409, message: 'Other records refer to this one.' },
  import_invalid: { status: 400, message: 'Some records of the import cannot be written; none was.' },
  reference_not_found: { status: 400, message: 'A record that is referred to does not exist.' },
  record_changed: { status: 412, message: 'The record is not what it was when you read it.' },
  quota_exceeded: { status: 507, message: 'There is no room left for files of this account.' },
  idempotency_key_reused: { status: 409, message: 'This Idempotency-Key was sent with another request.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
