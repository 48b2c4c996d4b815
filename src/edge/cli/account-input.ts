import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from '../../platform/cli/cli.public.js';

/** Returns the new password of an account: the option, or the input from the terminal or standard input. */
export async function newPasswordFrom(option: string | undefined): Promise<string> {
  const password = option ?? (await readPassword('Password: '));
  const { newPassword } = await import('../../identity/users/users.public.js');
  const fault = newPassword(password);
  if (fault !== null) throw new CommandError(`The password ${fault.message}.`);
  return password;
}

/** Prompts for a password without echo. If standard input is not a terminal, reads its first line. */
async function readPassword(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY });
  try {
    for await (const line of lines) {
      if (stdin.isTTY) stderr.write('\n');
      return line;
    }
    throw new CommandError('No password was given.');
  } finally {
    lines.close();
    stdin.pause();
  }
}
