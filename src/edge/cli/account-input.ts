import type { FieldCheck } from '../../platform/http/http.public.js';
import { CommandError } from './command-error.js';
import { readPassword } from './prompt.js';

/** Checks an option as the API would check the field of that name. */
export function assertOption(name: string, value: string | undefined, check: FieldCheck): void {
  const fault = check(value);
  if (fault !== null) throw new CommandError(`--${name} ${fault.message}.`);
}

/** Returns the new password of an account: given, asked for, or read from standard input. */
export async function newPasswordFrom(option: string | undefined): Promise<string> {
  const password = option ?? (await readPassword('Password: '));
  const { newPassword } = await import('../../identity/users/users.public.js');
  const fault = newPassword(password);
  if (fault !== null) throw new CommandError(`The password ${fault.message}.`);
  return password;
}
