import { SetMetadata } from '@nestjs/common';
import type { PreUserRegisterHook } from './registration-input.types.js';

/** Where a method is marked as a pre-registration hook. */
export const PRE_USER_REGISTER = 'lintel:pre-user-register';

/** How a hook is placed among the others. */
export interface OnPreUserRegisterOptions {
  /** Smaller ones run first; 0 unless said otherwise. Equal ones run as declared: by module, then by method. */
  readonly order?: number;
}

/**
 * Marks a method of a provider as a pre-registration hook (specification, "Registration policy rules", 4). It runs after
 * the built-in policy, for local and social sign-ups, and not for accounts that an administrator makes.
 */
export function OnPreUserRegister(
  options: OnPreUserRegisterOptions = {},
): <T extends PreUserRegisterHook>(target: object, key: string | symbol, method: TypedPropertyDescriptor<T>) => void {
  return (target, key, method) => {
    SetMetadata(PRE_USER_REGISTER, options.order ?? 0)(target, key, method as TypedPropertyDescriptor<unknown>);
  };
}
