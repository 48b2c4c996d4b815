import { type MarkedTarget, MethodMark } from '../../kernel/marked-methods.js';
import type { PreUserRegisterHook } from './registration-input.types.js';

/** Places a hook among the others. */
export interface OnPreUserRegisterOptions {
  /** Smaller ones run first; 0 unless said otherwise. Equal ones run as declared: by module, then by method. */
  readonly order?: number;
  /** Whether the application may do without the class; otherwise a hook whose class is in no module stops the start. */
  readonly optional?: boolean;
}

/** The methods that were marked as pre-registration hooks. */
export const PRE_REGISTRATION_HOOKS = new MethodMark('is a pre-registration hook', {
  controllers: true,
  advice: 'list it in one, or mark the hook as optional',
});

/**
 * Marks a method of a provider or a controller as a pre-registration hook (specification, "Registration policy rules", 4). It runs after
 * the built-in policy, for local and social sign-ups, and not for accounts that an administrator makes. One that could never
 * run, since its class is in no module or is made for each request, stops the start.
 */
export function OnPreUserRegister({ order = 0, optional = false }: OnPreUserRegisterOptions = {}): <
  T extends PreUserRegisterHook,
>(
  target: MarkedTarget,
  key: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void {
  return (target, key, method) => PRE_REGISTRATION_HOOKS.add(target, key, method, { order }, optional);
}
