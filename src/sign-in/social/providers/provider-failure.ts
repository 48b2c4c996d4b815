import { AppError } from '../../../kernel/errors/app-error.js';
import '../social.errors.js';

/** @param reason for the log. It must not contain data of the provider. */
export function providerFailed(reason: string, cause?: unknown): AppError {
  return new AppError('provider_failed', { cause: new Error(reason, { cause }) });
}

export function providerUnavailable(reason: string, cause?: unknown): AppError {
  return new AppError('provider_unavailable', { cause: new Error(reason, { cause }) });
}

/** Returns the messages of the error and its causes, for the log. They contain no data of the provider. */
export function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error && messages.length < 4; current = current.cause) {
    if (!(current instanceof AppError)) messages.push(current.message || current.name);
  }
  return messages.join(' < ');
}

/**
 * Returns the error for a failing provider definition. The message of the exception may contain claims, so the log gets only its class and
 * the first stack frame.
 *
 * @param what the part of the definition that failed, such as `identity`.
 */
export function definitionFailed(what: string, error: unknown): AppError {
  if (!(error instanceof Error)) return providerFailed(`${what}: threw a value that is not an Error`);
  const { stack = '' } = error;
  const head = String(error);
  const frame = stack.startsWith(head) ? /^\s*(at .{1,300})$/m.exec(stack.slice(head.length))?.[1] : undefined;
  return providerFailed(`${what}: ${error.constructor.name}${frame === undefined ? '' : ` ${frame}`}`);
}
