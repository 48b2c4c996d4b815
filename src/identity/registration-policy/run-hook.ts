import { HttpException } from '@nestjs/common';
import { databaseRefusal } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { isErrorCode } from '../../kernel/errors/error-catalogue.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import type { PreUserRegisterHook, RegistrationInput } from './registration-input.types.js';
import './registration-policy.errors.js';

/** A pre-registration hook, and how the log calls it. */
export interface NamedHook {
  readonly name: string;
  readonly run: PreUserRegisterHook;
}

/** Time that a hook may take. */
export const HOOK_TIME_LIMIT_MS = 10_000;

/**
 * Runs one hook.
 *
 * @throws AppError the rejection that the hook meant, with status 400; `internal_error` if the hook itself is at fault
 * or does not answer in time, with the private cause that names it.
 */
export async function runHook(hook: NamedHook, input: RegistrationInput): Promise<void> {
  try {
    const answer = await withTimeLimit(HOOK_TIME_LIMIT_MS, start(hook, input));
    if (answer instanceof Error) throw answer;
  } catch (error) {
    throw toRejection(error) ?? faultOf(hook, error);
  }
}

/** Starts a hook; an error before its first `await` is a rejected promise too. */
async function start(hook: NamedHook, input: RegistrationInput): Promise<void | Error> {
  return hook.run(input);
}

/**
 * Returns what a hook meant by what it threw, or null if it was no rejection: an error of this service stays what it is; a
 * bad-request error of the framework and a plain `Error` reject with their message. A database that is lost meanwhile is told as
 * everywhere. Other classes (`TypeError`, errors of the database) and errors with a code of the system or of a library (`ENOENT`, …)
 * are faults: their texts are not public.
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

/** Codes of the system and of libraries are in capitals or are numbers. */
function isWord(code: unknown): boolean {
  return typeof code === 'string' && /^[a-z][a-z0-9_.-]*$/.test(code);
}

function faultOf(hook: NamedHook, cause: unknown): AppError {
  const named = new Error(`The pre-registration hook ${hook.name} is at fault.`, { cause });
  return new AppError('internal_error', { cause: named });
}
