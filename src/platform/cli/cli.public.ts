import { AppError, type FieldFault } from '../../kernel/errors/app-error.js';
import type { FieldCheck } from '../http/http.public.js';

export { applicationOn, type CommandContext } from './command-context.js';

/** A command that cannot do what it was asked: the sentence is for the person at the terminal. Exit code 1. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}

/**
 * Does work, and has a refusal of values name the options that gave them.
 *
 * @param optionOf returns the option of a field.
 * @throws CommandError with a line for each of them.
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

/** Checks an option as the API would check the field of that name. */
export function assertOption(name: string, value: string | undefined, check: FieldCheck): void {
  const fault = check(value);
  if (fault !== null) throw new CommandError(`--${name} ${fault.message}.`);
}

/** Prints a result: one JSON value with `--json`, else the text for people. */
export function print(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
}

/** Returns a plain table with aligned columns. */
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
