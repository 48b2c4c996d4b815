import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Imports', {
  import_not_found: { status: 404, message: 'Import not found.' },
  import_not_ready: { status: 409, message: 'The import is in a state that does not allow this action.' },
  import_faulty: { status: 409, message: 'Some rows are invalid. Correct the file, or skip these rows.' },
  import_not_undoable: { status: 409, message: 'The import cannot be undone, because it changed existing records.' },
  imports_pending: { status: 409, message: 'You have too many unfinished imports. Finish or delete one first.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
