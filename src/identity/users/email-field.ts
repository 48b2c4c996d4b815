import { allOf, type FieldCheck, requiredText, withConstraints } from '../../platform/http/http.public.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';

export const requiredEmail: FieldCheck = allOf(
  requiredText(320),
  withConstraints({ format: 'email' }, (value) =>
    parseEmailAddress(value as string) === null
      ? { code: 'email_invalid', message: 'must be one e-mail address' }
      : null,
  ),
);
