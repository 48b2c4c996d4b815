import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Files', {
  file_not_found: { status: 404, message: 'File not found.' },
  file_held: { status: 409, message: 'The file has not been scanned yet. Try again in a moment.' },
  file_too_large: { status: 413, message: 'The file is too large.' },
  file_type_not_allowed: { status: 422, message: 'The file type is not allowed.' },
  image_invalid: { status: 422, message: 'The file is not a readable image, or the image has too many pixels.' },
  checksum_mismatch: { status: 422, message: 'The file does not match its checksum. Upload it again.' },
  upload_incomplete: { status: 400, message: 'The file is incomplete. Upload it again.' },
  upload_expired: { status: 409, message: 'The upload has expired. Start a new upload.' },
  upload_offset: { status: 409, message: 'Wrong upload offset. Send HEAD to get the current offset.' },
  upload_version: { status: 412, message: 'Unsupported tus version. Send the header Tus-Resumable: 1.0.0.' },
  upload_not_direct: {
    status: 409,
    message:
      'Direct uploads are not available, because files are not stored in a bucket. Upload through the API instead.',
  },
  storage_full: { status: 507, message: 'The file storage is full.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
