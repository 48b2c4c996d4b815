import { type FieldCheck, inOrder, requiredText, stating } from '../http/field-check.js';
import { parseEmailAddress } from '../kernel/email-address.js';

/** An e-mail address that must be there: exactly one mailbox. */
export const requiredEmail: FieldCheck = inOrder(
  requiredText(320),
  stating({ format: 'email' }, (value) =>
    parseEmailAddress(value as string) === null
      ? { code: 'email_invalid', message: 'must be one e-mail address' }
      : null,
  ),
);
