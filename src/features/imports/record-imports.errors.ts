import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Imports', {
  import_not_found: { status: 404, message: 'There is no such import.' },
  import_not_ready: { status: 409, message: 'The import is not in a state in which this can be done.' },
  import_faulty: { status: 409, message: 'Some rows have faults; mend the file, or have them left out.' },
  import_not_undoable: { status: 409, message: 'What the import has changed cannot be taken back.' },
  imports_pending: { status: 409, message: 'You have as many imports under way as you may; end one first.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
