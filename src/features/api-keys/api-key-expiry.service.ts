import { mailAccount, type MailedAccount } from '../../identity/users/users.public.js';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SERVICE_ACCOUNT } from '../../identity/users/user.entity.js';
import { Clock } from '../../kernel/clock.port.js';
import { Scheduled } from '../../platform/jobs/job.decorators.js';
import { Mailer } from '../../platform/mail/mailer.port.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WARN_BEFORE_MS = 7 * DAY_MS;
/** @internal */
const BATCH_SIZE = 200;

/** Keys with a lifetime of at most two weeks need no warning. Rotated keys expire intentionally. */
const CLAIM_DUE = `UPDATE api_keys k SET warned_at = $1 FROM (
    SELECT a.id, u.email, u.email_verified_at, u.first_name, u.language FROM api_keys a JOIN users u ON u.id = a.user_id
    WHERE a.expires_at > $1 AND a.expires_at <= $2 AND a.warned_at IS NULL AND a.rotated_at IS NULL
      AND a.expires_at - a.created_at > interval '14 days' AND u.activated AND u.provider <> '${SERVICE_ACCOUNT}'
    ORDER BY a.expires_at LIMIT ${BATCH_SIZE} FOR UPDATE OF a SKIP LOCKED
  ) due WHERE k.id = due.id
  RETURNING due.email, due.email_verified_at AS "emailVerifiedAt", due.first_name AS "firstName", due.language, k.prefix,
    k.expires_at AS "expiresAt"`;

interface DueKey extends MailedAccount {
  readonly prefix: string;
  readonly expiresAt: Date;
}

/** Mails owners a week before one of their keys expires. */
@Injectable()
export class ApiKeyExpiry {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /** Each mail is sent once across all instances. */
  @Scheduled({ name: 'keys.expiring', everyMs: HOUR_MS })
  async warn(): Promise<void> {
    for (let count = BATCH_SIZE; count === BATCH_SIZE;) count = await this.warnSome();
  }

  private warnSome(): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const now = this.clock.now();
      const until = new Date(now.getTime() + WARN_BEFORE_MS);
      const [keys] = await manager.query<[DueKey[], number]>(CLAIM_DUE, [now, until]);
      for (const { prefix, expiresAt, ...account } of keys) {
        const variables = { prefix, expiresOn: expiresAt.toISOString().slice(0, 10) };
        await mailAccount(this.mailer, manager, account, { template: 'api-key-expiring', variables });
      }
      return keys.length;
    });
  }
}
