import { MethodMark, type MethodMarker } from '../../platform/extension/marked-methods.js';
import type {
  BeforeLoginEvent,
  CredentialsEndedEvent,
  LifecycleEventName,
  LoggedInEvent,
  PasswordChangedEvent,
  SessionEndedEvent,
  UserRegisteredEvent,
} from './lifecycle-event.types.js';

/** Order of a hook among the other hooks of the same event. */
export interface LifecycleHookOptions {
  /** Lower values run first; default 0. Hooks with equal values run in order of declaration: by module, then by method. */
  readonly order?: number;
}

type LifecycleDecorator<Event> = MethodMarker<(event: Event) => unknown>;

export const LIFECYCLE_HOOKS = new MethodMark<{ readonly event: LifecycleEventName; readonly order: number }>(
  'is a hook of the sign-in lifecycle',
);

/**
 * Runs this provider method for each new account, in the transaction that creates it. An error rolls the account back. To reject sign-ups
 * earlier, use `@OnPreUserRegister`.
 */
export function OnUserRegistered(options?: LifecycleHookOptions): LifecycleDecorator<UserRegisteredEvent> {
  return mark('registered', options);
}

/**
 * Runs this provider method after a sign-in is proven and before its session starts, in the transaction of the session. An error rejects
 * the sign-in.
 */
export function OnBeforeLogin(options?: LifecycleHookOptions): LifecycleDecorator<BeforeLoginEvent> {
  return mark('beforeLogin', options);
}

/** Runs this provider method after a session has started, in its transaction. An error rolls the session back. */
export function OnLoggedIn(options?: LifecycleHookOptions): LifecycleDecorator<LoggedInEvent> {
  return mark('loggedIn', options);
}

/**
 * Runs this provider method for each ended session, in the transaction that ends it. The session stays ended: an error is logged and rolls
 * back only the writes of this method.
 */
export function OnSessionEnded(options?: LifecycleHookOptions): LifecycleDecorator<SessionEndedEvent> {
  return mark('sessionEnded', options);
}

/**
 * Runs this provider method when the password of an account is changed or removed, in the same transaction. The change stays: an error is
 * logged and rolls back only the writes of this method.
 */
export function OnPasswordChanged(options?: LifecycleHookOptions): LifecycleDecorator<PasswordChangedEvent> {
  return mark('passwordChanged', options);
}

/**
 * Runs this provider method when all credentials of an account are revoked, in the same transaction. The cause is the first proof of its
 * address, a cancelled e-mail change, a recovery, or a change by an administrator.
 *
 * Revoke the credentials that the application stores itself. If `event.since` is set, revoke only those created since then. An error rolls
 * back the whole revocation.
 */
export function OnCredentialsEnded(options?: LifecycleHookOptions): LifecycleDecorator<CredentialsEndedEvent> {
  return mark('credentialsEnded', options);
}

function mark<Event>(event: LifecycleEventName, { order = 0 }: LifecycleHookOptions = {}): LifecycleDecorator<Event> {
  return LIFECYCLE_HOOKS.marker({ event, order });
}
