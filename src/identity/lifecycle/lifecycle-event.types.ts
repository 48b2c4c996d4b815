import type { EntityManager } from 'typeorm';

/** The account that hooks of the sign-in life cycle receive. */
export interface LifecycleAccount {
  readonly id: string;
  readonly email: string;
  readonly username: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly activated: boolean;
}

export interface LifecycleClient {
  readonly address: string;
  /** The client's own name (`User-Agent`); null if it sent none. */
  readonly device: string | null;
}

/** Reasons why a session ended. Expired sessions are not reported. */
export type SessionEnd =
  /** The user signed out. */
  | 'logout'
  /** The owner revoked it from another session, an administrator revoked it, or it never got a token. */
  | 'revoked'
  /** The same browser signed in again, as the same or another user. */
  | 'replaced'
  /** The credentials changed, or the account was deactivated or deleted. All its sessions are revoked. */
  | 'credentials'
  /** A refresh token was used twice, so it may be stolen. */
  | 'reuse';

/** Data of each event, in addition to {@link LifecycleEvent}. */
export interface LifecycleEventData {
  readonly registered: {
    /** `local`, or the name of the provider. */
    readonly method: string;
    /** Whether the user signed up or an administrator created the account. */
    readonly by: 'person' | 'administrator';
  };
  readonly beforeLogin: { readonly method: string; readonly client: LifecycleClient };
  readonly loggedIn: { readonly method: string; readonly client: LifecycleClient; readonly sessionId: string };
  readonly sessionEnded: {
    /** The method that started the session. */
    readonly method: string;
    readonly sessionId: string;
    readonly reason: SessionEnd;
  };
  readonly passwordChanged: {
    /**
     * - `person`: the user entered the old password.
     * - `recovery`: a recovery mail to the owner.
     * - `invitation`: an invited user chose the first password.
     * - `administrator`: an administrator set it.
     * - `proof`: the address was proven, which removes the earlier password.
     */
    readonly method: 'person' | 'recovery' | 'invitation' | 'administrator' | 'proof';
    /** True if the account has no password any more. */
    readonly removed: boolean;
  };
  readonly credentialsEnded: {
    /** Revoke only credentials that were created at this time or later; null for all of them. */
    readonly since: Date | null;
  };
}

export type LifecycleEventName = keyof LifecycleEventData;

/** Common part of all events of the sign-in life cycle. */
export interface LifecycleEvent {
  readonly account: LifecycleAccount;
  /** Manager of the transaction in which the event happens. */
  readonly manager: EntityManager;
}

/** A new account, in the transaction that creates it. */
export type UserRegisteredEvent = LifecycleEvent & LifecycleEventData['registered'];

/** A proven sign-in, before its session starts. */
export type BeforeLoginEvent = LifecycleEvent & LifecycleEventData['beforeLogin'];

/** A new session. */
export type LoggedInEvent = LifecycleEvent & LifecycleEventData['loggedIn'];

/** An ended session. */
export type SessionEndedEvent = LifecycleEvent & LifecycleEventData['sessionEnded'];

/** A changed or removed password. */
export type PasswordChangedEvent = LifecycleEvent & LifecycleEventData['passwordChanged'];

/** All credentials of an account are revoked, for example because an administrator changed them or its address was proven. */
export type CredentialsEndedEvent = LifecycleEvent & LifecycleEventData['credentialsEnded'];
