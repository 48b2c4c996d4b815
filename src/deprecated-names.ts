import type { LifecycleAccount } from './identity/lifecycle/lifecycle-event.types.js';
import type { LifecycleHookOptions } from './identity/lifecycle/lifecycle-hooks.decorators.js';

/**
 * Former name of {@link LifecycleAccount}.
 *
 * @deprecated Use {@link LifecycleAccount}. The next minor version removes this name.
 */
export type LifeAccount = LifecycleAccount;

/**
 * Former name of {@link LifecycleHookOptions}.
 *
 * @deprecated Use {@link LifecycleHookOptions}. The next minor version removes this name.
 */
export type LifeHookOptions = LifecycleHookOptions;
