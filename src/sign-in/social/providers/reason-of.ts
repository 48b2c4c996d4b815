import { AppError } from '../../../kernel/app-error.js';

/** What the log may say of a failure: the messages of the error and its causes. None of them holds what a provider sent. */
export function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error && messages.length < 4; current = current.cause) {
    if (!(current instanceof AppError)) messages.push(current.message || current.name);
  }
  return messages.join(' < ');
}
