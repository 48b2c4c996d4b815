import { MethodMark, type MethodMarker } from '../../platform/extension/marked-methods.js';
import type { PreUserRegisterHook } from './registration-input.types.js';

/** Order of a pre-registration hook among the others. */
export interface OnPreUserRegisterOptions {
  /** Lower values run first; default 0. Hooks with equal values run in order of declaration: by module, then by method. */
  readonly order?: number;
  /** @deprecated No effect: a hook whose class no module provides is ignored. */
  readonly optional?: boolean;
}

export const PRE_REGISTRATION_HOOKS = new MethodMark('is a pre-registration hook', { controllers: true });

/**
 * Marks a method of a provider or a controller as a pre-registration hook. It runs after
 * the built-in policy, for local and social sign-ups, but not for accounts that an administrator creates.
 *
 * A hook whose class no module provides is ignored. A hook of a request-scoped class stops the start.
 */
export function OnPreUserRegister({ order = 0 }: OnPreUserRegisterOptions = {}): MethodMarker<PreUserRegisterHook> {
  return PRE_REGISTRATION_HOOKS.marker({ order });
}
