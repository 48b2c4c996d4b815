import type { EntityManager } from 'typeorm';

/** An account, as hooks of the sign-in life are told of it. */
export interface LifeAccount {
  readonly id: string;
  readonly email: string;
  readonly username: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly activated: boolean;
}

/** The client that signs in. */
export interface LifeClient {
  readonly address: string;
  /** Name that it gives itself, if it does. */
  readonly device: string | null;
}

/** Reasons why a session was ended. One that nobody ends, and that expires, is not told. */
export type SessionEnd =
  /** The person signed out. */
  | 'logout'
  /** Its owner ended it from another session, an administrator did, or it never got a token. */
  | 'revoked'
  /** The same browser signed in once more, as the same person or another one. */
  | 'replaced'
  /** The credentials have changed, or the account was shut or deleted: all of its sessions end. */
  | 'credentials'
  /** A refresh token came a second time: somebody else may have it. */
  | 'reuse';

/** Facts of each moment, beside {@link LifeEvent}. */
export interface LifeFacts {
  readonly registered: {
    /** `local`, or the name of the provider. */
    readonly method: string;
    /** Whether the person signed up, or an administrator made the account. */
    readonly by: 'person' | 'administrator';
  };
  readonly beforeLogin: { readonly method: string; readonly client: LifeClient };
  readonly loggedIn: { readonly method: string; readonly client: LifeClient; readonly sessionId: string };
  readonly sessionEnded: {
    /** The method by which the session began. */
    readonly method: string;
    readonly sessionId: string;
    readonly reason: SessionEnd;
  };
  readonly passwordChanged: {
    /**
     * `person` who knew the one before; `recovery` by a mail to the owner; `invitation`: the first one, chosen by whom an
     * administrator invited; `administrator`; `proof` of the address, which ends the password of before.
     */
    readonly method: 'person' | 'recovery' | 'invitation' | 'administrator' | 'proof';
    /** Whether the account has a password now. */
    readonly removed: boolean;
  };
  readonly credentialsEnded: {
    /** Revoke only credentials that were created at this time or later; null for all of them. */
    readonly since: Date | null;
  };
}

/** A moment of the sign-in life. */
export type LifeMoment = keyof LifeFacts;

/** Event that every hook of the sign-in life is told. */
export interface LifeEvent {
  readonly account: LifeAccount;
  /** Manager of the transaction of what is told. */
  readonly manager: EntityManager;
}

/** An account that was made, in the transaction that makes it. */
export type UserRegisteredEvent = LifeEvent & LifeFacts['registered'];

/** A sign-in that is proven, before its session begins. */
export type BeforeLoginEvent = LifeEvent & LifeFacts['beforeLogin'];

/** A session that has begun. */
export type LoggedInEvent = LifeEvent & LifeFacts['loggedIn'];

/** A session that has ended. */
export type SessionEndedEvent = LifeEvent & LifeFacts['sessionEnded'];

/** Event of another password, or of none any more. */
export type PasswordChangedEvent = LifeEvent & LifeFacts['passwordChanged'];

/** Event of the revocation of everything that opens an account: its owner or an administrator takes it back, or its address was proven. */
export type CredentialsEndedEvent = LifeEvent & LifeFacts['credentialsEnded'];
