import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Files', {
  file_not_found: { status: 404, message: 'There is no such file.' },
  file_held: { status: 409, message: 'The file is held back until it has been looked at. Ask again in a moment.' },
  file_too_large: { status: 413, message: 'The file is larger than it may be.' },
  file_type_not_allowed: { status: 422, message: 'The file is not of a type that it may have.' },
  image_invalid: { status: 422, message: 'The file is no picture that can be read, or one that is too large.' },
  checksum_mismatch: { status: 422, message: 'The file that arrived is not the one of the checksum.' },
  upload_incomplete: { status: 400, message: 'The file did not arrive as a whole.' },
  upload_expired: { status: 409, message: 'The upload took too long: begin it anew.' },
  upload_offset: { status: 409, message: 'The upload goes on elsewhere: ask how much of it is there.' },
  upload_version: { status: 412, message: 'The upload speaks another version of tus than 1.0.0, or none.' },
  upload_not_direct: {
    status: 409,
    message: 'Files are in no bucket here that takes them: send them through the service.',
  },
  storage_full: { status: 507, message: 'There is no room left for files.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
