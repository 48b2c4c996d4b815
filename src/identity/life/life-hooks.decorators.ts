import { type MarkedTarget, MethodMark } from '../../kernel/marked-methods.js';
import type {
  BeforeLoginEvent,
  CredentialsEndedEvent,
  LifeMoment,
  LoggedInEvent,
  PasswordChangedEvent,
  SessionEndedEvent,
  UserRegisteredEvent,
} from './life-event.types.js';

/** Place of a hook among the others of its moment. */
export interface LifeHookOptions {
  /** Smaller ones run first; 0 unless said otherwise. Equal ones run as declared: by module, then by method. */
  readonly order?: number;
}

type LifeDecorator<Event> = <T extends (event: Event) => unknown>(
  target: MarkedTarget,
  key: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void;

/** Methods that hear of the sign-in life. */
export const LIFE_HOOKS = new MethodMark<{ readonly moment: LifeMoment; readonly order: number }>(
  'hears of the sign-in life',
);

/**
 * Runs this method of a provider for each new account, in the transaction that makes it. What it throws undoes the account;
 * to refuse sign-ups, `@OnPreUserRegister` comes earlier.
 */
export function OnUserRegistered(options?: LifeHookOptions): LifeDecorator<UserRegisteredEvent> {
  return mark('registered', options);
}

/**
 * Runs this method of a provider once a sign-in is proven, in the transaction in which its session would begin. What it throws
 * refuses the sign-in.
 */
export function OnBeforeLogin(options?: LifeHookOptions): LifeDecorator<BeforeLoginEvent> {
  return mark('beforeLogin', options);
}

/** Runs this method of a provider once a session has begun, in its transaction. What it throws undoes the session. */
export function OnLoggedIn(options?: LifeHookOptions): LifeDecorator<LoggedInEvent> {
  return mark('loggedIn', options);
}

/**
 * Runs this method of a provider for each session that was ended, in the transaction that ends it. The session stays ended: what
 * the method throws undoes the method's own writing alone, and is logged.
 */
export function OnSessionEnded(options?: LifeHookOptions): LifeDecorator<SessionEndedEvent> {
  return mark('sessionEnded', options);
}

/**
 * Runs this method of a provider when an account has another password, or none any more, in the transaction of the change. The
 * change stays: what the method throws undoes the method's own writing alone, and is logged.
 */
export function OnPasswordChanged(options?: LifeHookOptions): LifeDecorator<PasswordChangedEvent> {
  return mark('passwordChanged', options);
}

/**
 * Runs this method of a provider when everything that opens an account is revoked, in the same transaction: by the first proof of its
 * address, a cancelled e-mail change, a recovery, or an administrator's change. It revokes credentials that the application
 * keeps itself, those since `event.since` only if that is set. An error undoes the whole revocation.
 */
export function OnCredentialsEnded(options?: LifeHookOptions): LifeDecorator<CredentialsEndedEvent> {
  return mark('credentialsEnded', options);
}

function mark<Event>(moment: LifeMoment, { order = 0 }: LifeHookOptions = {}): LifeDecorator<Event> {
  return (target, key, method) => LIFE_HOOKS.add(target, key, method, { moment, order });
}
