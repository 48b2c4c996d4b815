import { type MarkedTarget, MethodMark } from '../../kernel/marked-methods.js';
import type { PreUserRegisterHook } from './registration-input.types.js';

/** Places a hook among the others. */
export interface OnPreUserRegisterOptions {
  /** Smaller ones run first; 0 unless said otherwise. Equal ones run as declared: by module, then by method. */
  readonly order?: number;
  /** @deprecated It has no effect: a hook whose class no module provides is ignored. */
  readonly optional?: boolean;
}

/** The methods that were marked as pre-registration hooks. */
export const PRE_REGISTRATION_HOOKS = new MethodMark('is a pre-registration hook', { controllers: true });

/**
 * Marks a method of a provider or a controller as a pre-registration hook (specification, "Registration policy rules", 4). It runs after
 * the built-in policy, for local and social sign-ups, and not for accounts that an administrator creates. A hook whose class
 * no module provides is ignored. A hook whose class is request-scoped stops the start.
 */
export function OnPreUserRegister({ order = 0 }: OnPreUserRegisterOptions = {}): <T extends PreUserRegisterHook>(
  target: MarkedTarget,
  key: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void {
  return (target, key, method) => PRE_REGISTRATION_HOOKS.add(target, key, method, { order });
}
