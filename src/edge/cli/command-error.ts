import { AppError, type FieldFault } from '../../kernel/errors/app-error.js';

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
