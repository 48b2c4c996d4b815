import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LoginThrottle } from '../../../identity/auth/login-throttle.service.js';
import { CodeRequesters } from '../../../identity/auth/code-requesters/code-requesters.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { newId } from '../../../kernel/keys/random.js';
import {
  grantOrThrow,
  OneTimeSecrets,
  type SecretGrant,
  type SecretRefusal,
} from '../../../identity/secrets/one-time-secrets.port.js';
import { type CodeSession, CodeSessions } from './code-sessions.service.js';
import { CODE_SESSION, MAILED_SECRET, type VerificationKind } from './verification-mailer.service.js';
import type { MailProof, CheckedProof } from './verification.dto.js';

type TypedCode = Extract<MailProof, { readonly code: string }>;
type MailedData = NonNullable<(typeof CODE_SESSION)[VerificationKind]['data']>;

@Injectable()
export class MailProofService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: CodeSessions,
    private readonly throttle: LoginThrottle,
    private readonly requesters: CodeRequesters,
  ) {}

  /**
   * Checks a proof without consuming it. A typed code is first tried as the session's own attempt, which other clients cannot use up.
   * Otherwise it costs one of its attempts and, after the first attempt of the session, one of its mailbox.
   *
   * @throws AppError `rate_limited`.
   */
  async check(
    kind: VerificationKind,
    proof: MailProof,
    client: ClientContext,
  ): Promise<SecretGrant<MailedData> | SecretRefusal> {
    if ('token' in proof) return this.secrets.checkToken(this.dataSource.manager, MAILED_SECRET[kind], proof.token);
    const { mailbox, isExpired } = this.sessions.read(proof.sessionId);
    await this.throttle.consume('first-mailed-code', mailbox, client);
    const grant = await this.tryCode(kind, proof, { mailbox, isExpired });
    if (typeof grant !== 'string') await this.throttle.succeed('mailed-code', mailbox, client);
    return grant;
  }

  /**
   * Returns the grant without consuming it.
   *
   * @param manager of the caller's transaction, if there is one.
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async assertProven(
    kind: VerificationKind,
    proof: CheckedProof,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<SecretGrant<MailedData>> {
    if ('token' in proof) return grantOrThrow(await this.secrets.checkToken(manager, MAILED_SECRET[kind], proof.token));
    const grant = await this.secrets.checkToken(manager, CODE_SESSION[kind], proof.sessionId);
    return grantOrThrow(this.checked(proof.sessionId, grant));
  }

  /** Consumes the token of a link, or a session with a checked code, in the caller's transaction. */
  async consume(manager: EntityManager, kind: VerificationKind, proof: CheckedProof): Promise<SecretGrant<MailedData>> {
    if ('token' in proof)
      return grantOrThrow(await this.secrets.consumeToken(manager, MAILED_SECRET[kind], proof.token));
    const grant = await this.secrets.consumeToken(manager, CODE_SESSION[kind], proof.sessionId);
    return grantOrThrow(this.checked(proof.sessionId, grant));
  }

  /** Tries the code of a session and returns the session. An unknown session runs the same statements with a random id. */
  private async tryCode(
    kind: VerificationKind,
    { sessionId, code }: TypedCode,
    { mailbox, isExpired }: CodeSession,
  ): Promise<SecretGrant<MailedData> | SecretRefusal> {
    const { manager } = this.dataSource;
    const session = await this.secrets.checkToken(manager, CODE_SESSION[kind], sessionId);
    const userId = typeof session === 'string' ? newId() : session.userId;
    const isOwn = await this.requesters.claim(manager, { kind, userId, code }, sessionId);
    const purpose = MAILED_SECRET[kind];
    let grant = await this.secrets.tryCode(manager, purpose, isOwn ? userId : newId(), code, true, 'own');
    if (grant === 'invalid') {
      await this.throttle.consumeOfSession(sessionId, mailbox);
      if (isExpired) return 'expired';
      grant = await this.secrets.tryCode(manager, purpose, userId, code, true);
    }
    // Sessions share the newest code, which may have been mailed to a newer address of the account.
    if (typeof session === 'string' || grant === 'invalid' || grant.data.email !== session.data.email) return 'invalid';
    await manager.query(`UPDATE one_time_secrets SET data = data || '{"checked": true}' WHERE id = $1`, [session.id]);
    return session;
  }

  /**
   * Returns the grant of a checked code, or the refusal. The expiry is read from the id only. A row that outlives its expiry would
   * otherwise reveal that the address belongs to an account.
   */
  private checked(
    sessionId: string,
    grant: SecretGrant<MailedData> | SecretRefusal,
  ): SecretGrant<MailedData> | SecretRefusal {
    if (this.sessions.read(sessionId).isExpired) return 'expired';
    return typeof grant !== 'string' && grant.data.checked === true ? grant : 'invalid';
  }
}
