import { HttpException, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { PRE_REGISTRATION_HOOKS } from './on-pre-user-register.decorator.js';
import type { PreUserRegisterHook, RegistrationInput } from './registration-input.types.js';
import { databaseRefusal } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { isErrorCode } from '../../kernel/errors/error-catalogue.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import './registration-policy.errors.js';

/** The pre-registration hooks in execution order: hooks of modules, then hooks of plugins. */
@Injectable()
export class PreRegistrationHooks implements OnModuleInit {
  private moduleHooks: readonly NamedHook[] = [];
  private readonly pluginHooks: NamedHook[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for a hook that could never run. */
  onModuleInit(): void {
    this.moduleHooks = PRE_REGISTRATION_HOOKS.collect(this.discovery).map(({ name, run }) => {
      return { name, run: run as PreUserRegisterHook };
    });
  }

  list(): readonly NamedHook[] {
    return [...this.moduleHooks, ...this.pluginHooks];
  }

  addFromPlugin(hook: NamedHook): void {
    this.pluginHooks.push(hook);
  }
}

/** A pre-registration hook, and its name in the log. */
interface NamedHook {
  readonly name: string;
  readonly run: PreUserRegisterHook;
}

export const HOOK_TIME_LIMIT_MS = 10_000;

/** @throws AppError the rejection by the hook, with status 400; `internal_error`, with the hook as its cause, if it fails or times out. */
export async function runHook(hook: NamedHook, input: RegistrationInput): Promise<void> {
  try {
    const answer = await withTimeLimit(HOOK_TIME_LIMIT_MS, () => hook.run(input));
    if (answer instanceof Error) throw answer;
  } catch (error) {
    throw toRejection(error) ?? hookFailure(hook, error);
  }
}

/**
 * Returns the rejection that an error of a hook represents, or null if the hook itself failed.
 *
 * - An `AppError` is returned unchanged.
 * - An unavailable database has the same error as in other requests.
 * - An `HttpException` with a 4xx status and a plain `Error` reject with their message.
 * - Other classes (`TypeError`, database errors) and errors with a code of the system or a library (`ENOENT`, …) are failures. Their
 *   messages are not public.
 */
function toRejection(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const databaseError = databaseRefusal(error);
  if (databaseError !== null) return databaseError;
  if (error instanceof HttpException) return isClientError(error) ? fromHttpException(error) : null;
  if (!(error instanceof Error) || Object.getPrototypeOf(error) !== Error.prototype) return null;
  const { code } = error as { code?: unknown };
  return code === undefined || isApplicationCode(code) ? rejection(code, error.message) : null;
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

/** Returns true for a code of an application. Codes of the system and of libraries are upper case or numbers. */
function isApplicationCode(code: unknown): boolean {
  return typeof code === 'string' && /^[a-z][a-z0-9_.-]*$/.test(code);
}

function hookFailure(hook: NamedHook, cause: unknown): AppError {
  const named = new Error(`The pre-registration hook ${hook.name} caused the error.`, { cause });
  return new AppError('internal_error', { cause: named });
}
