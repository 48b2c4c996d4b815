import { SetMetadata } from '@nestjs/common';
import { DefinitionError } from '../../kernel/definition-error.js';
import type { PreUserRegisterHook } from './registration-input.types.js';

/** Where a method is marked as a pre-registration hook. */
export const PRE_USER_REGISTER = 'lintel:pre-user-register';

/** How a hook is placed among the others. */
export interface OnPreUserRegisterOptions {
  /** Smaller ones run first; 0 unless said otherwise. Equal ones run as declared: by module, then by method. */
  readonly order?: number;
  /** Whether the application may do without the class; otherwise a hook whose class is in no module stops the start. */
  readonly optional?: boolean;
}

/** A method that was marked, wherever its class is. */
export interface MarkedHook {
  readonly prototype: object;
  readonly name: string;
  readonly optional: boolean;
}

const marked: MarkedHook[] = [];

/** Returns every method that was marked in this process, whether its class is used or not. */
export function markedHooks(): readonly MarkedHook[] {
  return marked;
}

/**
 * Marks a method of a provider or a controller as a pre-registration hook (specification, "Registration policy rules", 4). It runs after
 * the built-in policy, for local and social sign-ups, and not for accounts that an administrator makes. One that could never
 * run, since its class is in no module or is made for each request, stops the start.
 */
export function OnPreUserRegister(
  options: OnPreUserRegisterOptions = {},
): <T extends PreUserRegisterHook>(target: object, key: string | symbol, method: TypedPropertyDescriptor<T>) => void {
  return (target, key, method) => {
    if (typeof target === 'function')
      throw new DefinitionError(`${target.name}.${String(key)} is a pre-registration hook: it must not be static.`);
    marked.push({ prototype: target, name: String(key), optional: options.optional === true });
    SetMetadata(PRE_USER_REGISTER, options.order ?? 0)(target, key, method as TypedPropertyDescriptor<unknown>);
  };
}
