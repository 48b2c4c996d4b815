import { createHmac, hkdfSync, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Module } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  Clock,
  type CodeRequest,
  CONFIG,
  type Config,
  endedByRestore,
  type IssuedSecret,
  newId,
  OneTimeSecrets,
  Scheduled,
  type SecretGrant,
  type SecretPurpose,
  type SecretRefusal,
  type SecretRequest,
  Tables,
} from 'lintel';
import { DataSource, type EntityManager, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Creates the table of one-time secrets. They are deleted with their account. */
class Secrets1795300000002 implements MigrationInterface {
  readonly name = 'Secrets1795300000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE acme_secrets (
      id uuid PRIMARY KEY,
      purpose text NOT NULL,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      hash text NOT NULL,
      data jsonb NOT NULL,
      tries integer,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX acme_secrets_hash_idx ON acme_secrets (hash)');
    await runner.query('CREATE INDEX acme_secrets_user_idx ON acme_secrets (user_id, purpose)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_secrets');
  }
}

/** A row of the table. A token has no attempt counter, because it cannot be guessed. */
interface Kept<Data extends object> {
  readonly id: string;
  readonly user_id: string;
  readonly hash: string;
  readonly data: Data;
  readonly expires_at: Date;
}

const COUNT_ATTEMPT = `UPDATE acme_secrets SET tries = tries - 1
  WHERE purpose = $1 AND user_id = $2 AND tries > 0 AND expires_at > $3 RETURNING *`;

/** The code, also if others have used up its attempts. */
const FIND_CODE = `UPDATE acme_secrets SET tries = tries
  WHERE purpose = $1 AND user_id = $2 AND tries IS NOT NULL AND expires_at > $3 RETURNING *`;

/** Stores one-time secrets in Acme's own table, as keyed hashes only. */
@Injectable()
export class TableOneTimeSecrets extends OneTimeSecrets {
  private readonly key: Uint8Array;

  constructor(
    @Inject(CONFIG) { appKey }: Config,
    private readonly clock: Clock,
  ) {
    super();
    this.key = new Uint8Array(hkdfSync('sha256', appKey, '', 'acme one-time secrets', 32));
  }

  issueToken<Data extends object>(manager: EntityManager, request: SecretRequest<Data>): Promise<IssuedSecret> {
    const token = request.secret ?? randomBytes(32).toString('base64url');
    return this.issue(manager, request, token, this.hashOf(request.purpose, token), null);
  }

  /** Issues a code. Codes are short, so the hash includes the account: equal codes of two accounts have different hashes. */
  issueCode<Data extends object>(manager: EntityManager, request: CodeRequest<Data>): Promise<IssuedSecret> {
    const { purpose, userId, length, attempts } = request;
    const code = Array.from({ length }, () => randomInt(10)).join('');
    return this.issue(manager, request, code, this.hashOf(purpose, code, userId), attempts);
  }

  async checkToken<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    token: string,
  ): Promise<SecretGrant<Data> | SecretRefusal> {
    const [kept] = await manager.query<Kept<Data>[]>(
      `SELECT * FROM acme_secrets WHERE purpose = $1 AND hash = $2 AND tries IS NULL ORDER BY expires_at DESC LIMIT 1`,
      [purpose.name, this.hashOf(purpose, token)],
    );
    if (kept === undefined) return 'invalid';
    return kept.expires_at > this.clock.now() ? grantOf(kept) : 'expired';
  }

  /** Locks the account first, in the same order as when a secret is issued, which prevents deadlocks. */
  async consumeToken<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    token: string,
  ): Promise<SecretGrant<Data> | SecretRefusal> {
    const known = await this.checkToken(manager, purpose, token);
    if (typeof known === 'string') return known;
    await lockAccount(manager, known.userId);
    const [[kept]] = await manager.query<[Kept<Data>[], number]>(
      'DELETE FROM acme_secrets WHERE id = $1 AND expires_at > $2 RETURNING *',
      [known.id, this.clock.now()],
    );
    return kept === undefined ? 'invalid' : grantOf(kept);
  }

  /** Checks a code. One statement counts the attempt before the comparison, unless the caller has counted it. */
  async tryCode<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    userId: string,
    code: string,
    keep = false,
    attempt: 'counted' | 'own' = 'counted',
  ): Promise<SecretGrant<Data> | 'invalid'> {
    const [[kept]] = await manager.query<[Kept<Data>[], number]>(attempt === 'own' ? FIND_CODE : COUNT_ATTEMPT, [
      purpose.name,
      userId,
      this.clock.now(),
    ]);
    const hash = this.hashOf(purpose, code, userId);
    if (kept === undefined || !timingSafeEqual(Buffer.from(kept.hash), Buffer.from(hash))) return 'invalid';
    if (keep) return grantOf(kept);
    const [, used] = await manager.query<[unknown[], number]>('DELETE FROM acme_secrets WHERE id = $1', [kept.id]);
    return used === 1 ? grantOf(kept) : 'invalid';
  }

  async revoke(manager: EntityManager, userId: string, purposes?: readonly SecretPurpose[]): Promise<void> {
    const names = purposes?.map(({ name }) => name) ?? null;
    const sql = 'DELETE FROM acme_secrets WHERE user_id = $1 AND ($2::text[] IS NULL OR purpose = ANY ($2))';
    await manager.query(sql, [userId, names]);
  }

  /** Ids increase with time. */
  async revokeNewer(manager: EntityManager, { name }: SecretPurpose, { id, userId }: SecretGrant): Promise<void> {
    const sql = 'DELETE FROM acme_secrets WHERE user_id = $1 AND purpose = $2 AND id > $3';
    await manager.query(sql, [userId, name, id]);
  }

  private async issue(
    manager: EntityManager,
    { purpose, userId, lifetimeSeconds, data, replace = true }: SecretRequest,
    secret: string,
    hash: string,
    tries: number | null,
  ): Promise<IssuedSecret> {
    // Of two concurrent requests, the later one revokes the secret of the earlier.
    if (!(await lockAccount(manager, userId))) throw new AppError('invalid_credentials');
    if (replace) await this.revoke(manager, userId, [purpose]);
    const [id, expiresAt] = [newId(), new Date(this.clock.nowMs() + lifetimeSeconds * 1_000)];
    await manager.query(
      `INSERT INTO acme_secrets (id, purpose, user_id, hash, data, tries, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, purpose.name, userId, hash, JSON.stringify(data), tries, expiresAt],
    );
    return { id, secret, expiresAt };
  }

  private hashOf({ name }: SecretPurpose, secret: string, userId = ''): string {
    return createHmac('sha256', this.key).update(`${name}\0${userId}\0${secret}`).digest('hex');
  }
}

function grantOf<Data extends object>({ id, user_id: userId, data }: Kept<Data>): SecretGrant<Data> {
  return { id, userId, data };
}

/** Returns whether the account exists. */
async function lockAccount(manager: EntityManager, userId: string): Promise<boolean> {
  const rows = await manager.query<unknown[]>('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  return rows.length === 1;
}

/** Deletes expired secrets. */
@Injectable()
class ExpiredSecrets {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'acme.forget-secrets', everyMs: 3_600_000 })
  async forget(): Promise<void> {
    // Expired links are reported as expired for a day.
    const before = new Date(this.clock.nowMs() - 86_400_000);
    await this.dataSource.query('DELETE FROM acme_secrets WHERE expires_at < $1', [before]);
  }
}

/** The table of {@link TableOneTimeSecrets}. Backups do not restore its rows, because they may have been used since. */
@Tables({ migrations: [Secrets1795300000002], others: ['acme_secrets'] })
@Module({ providers: [ExpiredSecrets, endedByRestore('secrets', 'acme_secrets')] })
export class SecretTablesModule {}
