import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Content', {
  field_invalid: { status: 400, message: 'Some values are not valid for their fields.' },
  record_not_found: { status: 404, message: 'Record not found.' },
  unique_violation: { status: 409, message: 'Another record already has this value.' },
  links_truncated: {
    status: 409,
    message: 'A list cannot replace this many links. Use $add and $remove, or $set to replace all of them.',
  },
  record_in_use: { status: 409, message: 'Other records refer to this record.' },
  import_invalid: { status: 400, message: 'Some records of the import are not valid. No record was written.' },
  reference_not_found: { status: 400, message: 'A referenced record does not exist.' },
  record_changed: { status: 412, message: 'The record has changed since you read it. Read it again.' },
  quota_exceeded: { status: 507, message: 'The file quota of the account is exceeded.' },
  idempotency_key_reused: { status: 409, message: 'This Idempotency-Key was already used for a different request.' },
});

const ACCESS_ERRORS = defineErrors('Access', {
  principal_unknown: { status: 404, message: 'The role does not exist, or no active account has this id.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS | keyof typeof ACCESS_ERRORS, ErrorRow> {}
}
