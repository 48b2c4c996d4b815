import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { AppError, type FieldFault } from '../../kernel/errors/app-error.js';
import { OperatorError } from '../../kernel/errors/definition-error.js';
import type { FieldCheck } from '../http/input/field.decorator.js';

export { applicationOn, type CommandContext } from './command-context.js';

/** A command cannot continue. The message is printed without a stack, and the exit code is 1. */
export class CommandError extends OperatorError {}

/**
 * Reports invalid values by the option they were given in.
 *
 * @throws CommandError with one line for each value.
 */
export async function namingOptions<T>(work: () => Promise<T>, optionOf: (field: string) => string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    const { errors } = error.details as { readonly errors: readonly FieldFault[] };
    throw new CommandError(errors.map(({ field, message }) => `${optionOf(field)} ${message}.`).join('\n'));
  }
}

export function assertOption(name: string, value: string | undefined, check: FieldCheck): void {
  const fault = check(value);
  if (fault !== null) throw new CommandError(`--${name} ${fault.message}.`);
}

/** Writes a file under another name first, so that an incomplete file never replaces an existing one. */
export async function writeCompletely<T>(file: string, write: (to: Writable) => Promise<T>): Promise<T> {
  const draft = `${file}.part`;
  const handle = await open(draft, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${draft} cannot be written (${error.code}).`);
  });
  const to = createWriteStream(draft, { fd: handle, flush: true });
  try {
    const result = await write(to);
    await rename(draft, file);
    return result;
  } catch (error) {
    to.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

/** Prints a result: one JSON value with `--json`, or else the text. */
export function print(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
}

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
