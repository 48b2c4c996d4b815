import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { definePurpose, OneTimeSecrets } from '../../secrets/one-time-secrets.port.js';
import { type NewSession, ProofRefused, type ProvenAccount } from '../sign-in/sign-in-method.port.js';
import { SignInService, type TokenSet } from '../sign-in/sign-in.service.js';
import { isProvenBy } from '../../../kernel/keys/pkce.js';

/** PKCE challenge (S256) of the app or the tab that started the sign-in; null for none. */
export interface CodeBinding {
  readonly codeChallenge: string | null;
  /** Session of the issued tokens. Default: a new session. */
  readonly sessionId?: string;
}

export const EXCHANGE_CODE = definePurpose<CodeBinding & { readonly session: Omit<NewSession, 'userId'> }>('exchange');

const LIFETIME_SECONDS = 60;

/** Codes of completed sign-ins: 256 bits, 60 seconds, single use. The exchange creates the token set. */
@Injectable()
export class ExchangeCodes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
    private readonly signIns: SignInService,
  ) {}

  /** The sign-in must have passed {@link SignInService.allow}. */
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
   * Consumes a code, even if the verifier is wrong. A code with a challenge requires its verifier; a code without one accepts none. When
   * the code was issued, the account was active and needed no further factor. The statement that starts the session checks this again.
   *
   * @throws AppError `code_invalid`; the errors of the sign-in steps.
   */
  async exchange(code: string, codeVerifier: string | undefined): Promise<TokenSet> {
    const grant = await this.secrets.consumeToken(this.dataSource.manager, EXCHANGE_CODE, code);
    if (typeof grant === 'string') throw new AppError('code_invalid');
    const { session, codeChallenge, sessionId } = grant.data;
    const account = { ...session, userId: grant.userId, activated: true, secondFactor: false };
    // The code may have been stolen, so the refusal is written to the audit log of its owner.
    if (!isProvenBy(codeVerifier, codeChallenge)) return this.signIns.complete(() => refuse(account), 'code_invalid');
    if (sessionId !== undefined) return this.signIns.join(account, sessionId);
    return this.signIns.complete(() => account, 'code_invalid');
  }
}

function refuse({ userId, provider, client }: ProvenAccount): never {
  throw new ProofRefused('code_invalid', { userId, provider, client });
}
