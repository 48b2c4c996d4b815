import { newPassword, optionalUsername, requiredEmail, usernameKey } from '../../../identity/users/users.public.js';
import { emailKey } from '../../../identity/users/users.service.js';
import type { WriteFaults } from '../resolve/write-faults.js';
import type { RecordWrite } from '../resolve/write.types.js';
import type { LockedRecord } from './locked-record.types.js';

/** Checks what an account is reached by, and fills in the columns that follow from it. */
export function completeAccount(write: RecordWrite, locked: LockedRecord | null, faults: WriteFaults): void {
  const { values, password, names } = write;
  const email = values.get('email')?.value;
  const username = values.get('username')?.value;
  if (values.has('email')) check('email', requiredEmail(email), faults);
  if (values.has('username')) check('username', optionalUsername(username), faults);
  if (names.has('password')) check('password', newPassword(password), faults);
  const text = (value: string | null) => ({ value, sqlType: 'text' });
  if (typeof email === 'string') values.set('email_key', text(emailKey(email)));
  if (values.has('username'))
    values.set('username_key', text(typeof username === 'string' ? usernameKey(username) : null));
  // Nobody has proven the new address, unless whoever writes it says so.
  if (locked !== null && hasNewAddress(write, locked) && !names.has('email_verified_at'))
    values.set('email_verified_at', { value: null, sqlType: 'timestamptz' });
}

/** Whether a change gives an account another address than it has; the case of letters is none. */
export function hasNewAddress({ values }: RecordWrite, { values: before }: LockedRecord): boolean {
  const email = values.get('email')?.value;
  return typeof email === 'string' && emailKey(email) !== emailKey(String(before['email']));
}

function check(
  field: string,
  fault: { readonly code: string; readonly message: string } | null,
  faults: WriteFaults,
): void {
  if (fault !== null) faults.addFault({ field, ...fault });
}
