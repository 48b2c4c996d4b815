import { AppError } from '../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';

const MAX_FIELDS = defineLimit(50, 'Requests', 'fields of a form', 'body_malformed');
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** @throws AppError `body_malformed`, also for a duplicate name. */
export function parseFormBody(body: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  const entries = [...new URLSearchParams(decode(body))];
  if (entries.length > MAX_FIELDS) throw new AppError('body_malformed', { message: 'The form has too many fields.' });
  for (const [name, value] of entries) {
    if (name in fields || name === '__proto__')
      throw new AppError('body_malformed', { message: 'The form names a field twice.' });
    fields[name] = value;
  }
  return { ...fields };
}

function decode(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw new AppError('body_malformed', { message: 'The form is not well-formed.' });
  }
}
