import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountBudget } from '../auth/account-budget.service.js';
import type { ClientContext } from '../auth/client-context.js';
import { AppError } from '../kernel/app-error.js';
import { OneTimeSecrets, type SecretGrant, type SecretRefusal } from '../secrets/one-time-secrets.port.js';
import type { VerificationKind } from './verification-mailer.service.js';
import type { MailProof } from './verification.types.js';

/** Checks what a person brings from a mail. */
@Injectable()
export class MailProofService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
    private readonly budget: AccountBudget,
  ) {}

  /**
   * Whether the proof is good, without consuming it. A typed code costs a try, and one of the account's budget.
   *
   * @throws AppError `rate_limited`.
   */
  async check(kind: VerificationKind, proof: MailProof, client: ClientContext): Promise<SecretGrant | SecretRefusal> {
    const { manager } = this.dataSource;
    if ('token' in proof) return this.secrets.checkToken(manager, kind, proof.token);
    const session = await this.secrets.checkToken(manager, `${kind}-session`, proof.sessionId);
    if (typeof session === 'string') return session;
    await this.budget.spend(session.userId, client);
    const grant = await this.secrets.tryCode(manager, kind, session.userId, proof.code, true);
    if (grant === 'invalid') return grant;
    await this.budget.succeed(session.userId, client);
    await manager.query(`UPDATE one_time_secrets SET data = '{"checked": true}' WHERE id = $1`, [session.id]);
    return session;
  }

  /** Consumes the token of a link, or a session whose code was checked, in the caller's transaction. */
  async consume(
    manager: EntityManager,
    kind: VerificationKind,
    proof: { token: string } | { sessionId: string },
  ): Promise<SecretGrant> {
    const grant =
      'token' in proof
        ? await this.secrets.consumeToken(manager, kind, proof.token)
        : checked(await this.secrets.consumeToken(manager, `${kind}-session`, proof.sessionId));
    return granted(grant);
  }
}

/** @throws AppError `token_invalid` or `token_expired`. */
export function granted(grant: SecretGrant | SecretRefusal): SecretGrant {
  if (grant === 'invalid') throw AppError.mailedToken('token_invalid');
  if (grant === 'expired') throw AppError.mailedToken('token_expired');
  return grant;
}

function checked(grant: SecretGrant | SecretRefusal): SecretGrant | SecretRefusal {
  return typeof grant === 'string' || grant.data['checked'] === true ? grant : 'invalid';
}
