import { AppError } from '../../../kernel/errors/app-error.js';
import '../social.errors.js';

/**
 * Returns the refusal of an answer that cannot be trusted.
 *
 * @param reason for the log: our own words, nothing that the provider sent.
 */
export function providerFailed(reason: string, cause?: unknown): AppError {
  return new AppError('provider_failed', { cause: new Error(reason, { cause }) });
}

/** Returns the refusal where a provider does not answer, or says that it cannot. */
export function providerUnavailable(reason: string, cause?: unknown): AppError {
  return new AppError('provider_unavailable', { cause: new Error(reason, { cause }) });
}

/** Returns what the log may say of a failure: the messages of the error and its causes. None of them holds what a provider sent. */
export function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error && messages.length < 4; current = current.cause) {
    if (!(current instanceof AppError)) messages.push(current.message || current.name);
  }
  return messages.join(' < ');
}

/**
 * Returns the refusal where a definition of a team's own is at fault. Its message may hold claims; the log has its class, and the
 * first line of code that it passed.
 *
 * @param what of the definition failed: `identity`.
 */
export function definitionFailed(what: string, error: unknown): AppError {
  if (!(error instanceof Error)) return providerFailed(`${what}: threw what is no error`);
  const { stack = '' } = error;
  const head = String(error);
  const frame = stack.startsWith(head) ? /^\s*(at .{1,300})$/m.exec(stack.slice(head.length))?.[1] : undefined;
  return providerFailed(`${what}: ${error.constructor.name}${frame === undefined ? '' : ` ${frame}`}`);
}
