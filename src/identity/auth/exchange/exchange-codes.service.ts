import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { definePurpose, OneTimeSecrets } from '../../secrets/one-time-secrets.port.js';
import { type NewSession, ProofRefused, type ProvenAccount } from '../sign-in/sign-in-method.port.js';
import { SignInService, type TokenSet } from '../sign-in/sign-in.service.js';
import { matchesChallenge } from '../../../kernel/keys/pkce.js';

/** Binding of a code: the PKCE challenge (S256) of the app or the tab that began the sign-in, or null if it gave none. */
export interface CodeBinding {
  readonly codeChallenge: string | null;
  /** The session that its tokens are to be of; a new one begins if there is none. */
  readonly sessionId?: string;
}

interface CodeData extends CodeBinding {
  readonly session: Omit<NewSession, 'userId'>;
}

/** The code of a completed sign-in. */
export const EXCHANGE_CODE = definePurpose<CodeData>('exchange');

const LIFETIME_SECONDS = 60;

/**
 * One-time codes of completed sign-ins (specification, "One-time code"): 256 bits, 60 seconds, good once. The browser
 * carries the code; the token set is made only when the code comes back.
 */
@Injectable()
export class ExchangeCodes {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
    private readonly signIns: SignInService,
  ) {}

  /** Issues a code for a sign-in that {@link SignInService.allow} let pass. */
  async issue(session: NewSession, { codeChallenge, sessionId }: CodeBinding): Promise<string> {
    const { userId, provider, client, credentialsVersion, amr } = session;
    const issued = await this.secrets.issueToken(this.dataSource.manager, {
      purpose: EXCHANGE_CODE,
      userId,
      lifetimeSeconds: LIFETIME_SECONDS,
      data: { session: { provider, client, credentialsVersion, amr }, codeChallenge, sessionId },
      replace: false,
    });
    return issued.secret;
  }

  /**
   * Consumes a code and makes its token set.
   *
   * @throws AppError `code_invalid`, and what the steps of the sign-in refuse with.
   */
  async exchange(code: string, codeVerifier: string | undefined): Promise<TokenSet> {
    const { account, sessionId, isProven } = await this.consume(code, codeVerifier);
    // Somebody may hold the code of another: the owner's log tells it.
    if (!isProven) return this.signIns.complete(() => refuse(account), 'code_invalid');
    if (sessionId !== undefined) return this.signIns.join(account, sessionId);
    return this.signIns.complete(() => account, 'code_invalid');
  }

  /**
   * Consumes a code. The code is gone whatever comes of it, a wrong verifier included; a code that is bound to a challenge needs its
   * verifier, and one that is not takes none. The account was active when the code was made, and no factor was due; whether that
   * holds, the session's statement asks.
   */
  private async consume(
    code: string,
    codeVerifier: string | undefined,
  ): Promise<{ readonly account: ProvenAccount; readonly sessionId?: string; readonly isProven: boolean }> {
    const grant = await this.secrets.consumeToken(this.dataSource.manager, EXCHANGE_CODE, code);
    if (typeof grant === 'string') throw new AppError('code_invalid');
    const { session, codeChallenge, sessionId } = grant.data;
    const account = { ...session, userId: grant.userId, activated: true, secondFactor: false };
    return { account, sessionId, isProven: isProven(codeChallenge, codeVerifier) };
  }
}

function refuse({ userId, provider, client }: ProvenAccount): never {
  throw new ProofRefused('code_invalid', { userId, provider, client });
}

function isProven(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return verifier === undefined;
  return verifier !== undefined && matchesChallenge(verifier, challenge);
}
