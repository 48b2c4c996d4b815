import { HttpException } from '@nestjs/common';
import { databaseRefusal } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { isErrorCode } from '../../kernel/errors/error-catalogue.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import type { PreUserRegisterHook, RegistrationInput } from './registration-input.types.js';
import './registration-policy.errors.js';

/** A pre-registration hook, and its name in the log. */
export interface NamedHook {
  readonly name: string;
  readonly run: PreUserRegisterHook;
}

export const HOOK_TIME_LIMIT_MS = 10_000;

/**
 * @throws AppError the rejection by the hook, with status 400; `internal_error` if the hook fails or times out. Its private cause names the
 * hook.
 */
export async function runHook(hook: NamedHook, input: RegistrationInput): Promise<void> {
  try {
    const answer = await withTimeLimit(HOOK_TIME_LIMIT_MS, start(hook, input));
    if (answer instanceof Error) throw answer;
  } catch (error) {
    throw toRejection(error) ?? faultOf(hook, error);
  }
}

/** Turns a synchronous error of the hook into a rejected promise. */
async function start(hook: NamedHook, input: RegistrationInput): Promise<void | Error> {
  return hook.run(input);
}

/**
 * Returns the rejection that an error of a hook represents, or null if the hook itself failed.
 *
 * - An `AppError` is returned unchanged.
 * - An unavailable database is reported as usual.
 * - Bad-request errors of the framework and plain `Error`s reject with their message.
 * - Other classes (`TypeError`, database errors) and errors with a code of the system or a library (`ENOENT`, …) are failures. Their
 *   messages are not public.
 */
function toRejection(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const refusal = databaseRefusal(error);
  if (refusal !== null) return refusal;
  if (error instanceof HttpException) return isClientError(error) ? fromHttpException(error) : null;
  if (!(error instanceof Error) || Object.getPrototypeOf(error) !== Error.prototype) return null;
  const { code } = error as { code?: unknown };
  return code === undefined || isWord(code) ? rejection(code, error.message) : null;
}

function isClientError(error: HttpException): boolean {
  return error.getStatus() >= 400 && error.getStatus() < 500;
}

function fromHttpException(error: HttpException): AppError {
  const response = error.getResponse();
  if (typeof response === 'string') return rejection(undefined, response);
  const { error: name, code, message } = response as { error?: unknown; code?: unknown; message?: unknown };
  const texts = Array.isArray(message) ? message.map(String).join(' ') : error.message;
  return rejection(isErrorCode(code) ? code : name, texts);
}

function rejection(code: unknown, message: string): AppError {
  const options = message === '' ? {} : { message };
  return new AppError(isErrorCode(code) ? code : 'registration_rejected', { ...options, status: 400 });
}

/** Codes of the system and of libraries are upper case or numbers. */
function isWord(code: unknown): boolean {
  return typeof code === 'string' && /^[a-z][a-z0-9_.-]*$/.test(code);
}

function faultOf(hook: NamedHook, cause: unknown): AppError {
  const named = new Error(`The pre-registration hook ${hook.name} is at fault.`, { cause });
  return new AppError('internal_error', { cause: named });
}
