import type { EntityManager } from 'typeorm';
import type { RequestOrigin } from '../../../kernel/principal.types.js';

export interface AccountCredential {
  /** Name of the kind, such as `passkeys`. */
  readonly kind: string;
  readonly id: string;
  /** Name that the owner knows, or that of the provider; null for none. */
  readonly name: string | null;
  /** Address at a provider, or prefix of a key; null for none. */
  readonly detail: string | null;
  readonly createdAt: Date;
}

/** Origin of a revocation, for the audit log. */
export interface RevokedBy {
  /** Default: the owner. */
  readonly actor?: string | undefined;
  readonly origin?: RequestOrigin | undefined;
}

/**
 * A kind of credential, in a table with `id`, `user_id` and `created_at`. Providers of this class are registered automatically, in any
 * module. Every flow that revokes credentials includes them.
 */
export abstract class CredentialKind {
  /** Unique name in lists and in `revoke`. */
  abstract readonly name: string;

  protected abstract readonly table: string;

  /** SQL expression of the name that the owner knows. */
  protected readonly label: string = 'NULL';

  /** SQL expression of a detail that distinguishes credentials with the same name. */
  protected readonly detail: string = 'NULL';

  /** SQL condition of the rows of this kind. */
  protected readonly condition: string = 'true';

  /** SQL condition of the listed rows. The others, such as an app without its first code, are revoked too. */
  protected readonly isListed: string = 'true';

  /** Whether the owner can select the kind in recovery. */
  readonly isSelectable: boolean = false;

  /** Whether it is a second factor. Recovery by mail alone must not revoke an old one without another proof. */
  readonly isSecondFactor: boolean = false;

  /** Whether all credentials of the kind are revoked with the sessions of the account. */
  readonly isRevokedWithSessions: boolean = false;

  /** Oldest first. */
  async list(manager: EntityManager, userId: string): Promise<readonly AccountCredential[]> {
    const text = `SELECT $2::text AS kind, id::text AS id, (${this.label})::text AS name, (${this.detail})::text AS detail,
      created_at AS "createdAt" FROM ${this.table} WHERE user_id = $1 AND ${this.condition} AND ${this.isListed}
      ORDER BY created_at, id`;
    return manager.query<AccountCredential[]>(text, [userId, this.name]);
  }

  /** The account must be locked. @param since revoke only those that were created at this time or later; null for all. */
  async revoke(manager: EntityManager, userId: string, since: Date | null, by: RevokedBy): Promise<readonly string[]> {
    return this.delete(manager, userId, '($2::timestamptz IS NULL OR created_at >= $2)', since, by);
  }

  /** The account must be locked. Runs in the caller's transaction, and returns whether the credential existed. */
  async revokeOne(manager: EntityManager, userId: string, id: string, by: RevokedBy): Promise<boolean> {
    return (await this.delete(manager, userId, 'id = $2', id, by)).length > 0;
  }

  /** Called after a revocation, for example to write audit entries. */
  protected abstract revoked(
    manager: EntityManager,
    userId: string,
    ids: readonly string[],
    by: RevokedBy,
  ): Promise<void>;

  private async delete(
    manager: EntityManager,
    userId: string,
    which: string,
    value: unknown,
    by: RevokedBy,
  ): Promise<readonly string[]> {
    const text = `DELETE FROM ${this.table} WHERE user_id = $1 AND ${this.condition} AND ${which} RETURNING id::text AS id`;
    const [rows] = await manager.query<[{ readonly id: string }[], number]>(text, [userId, value]);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await this.revoked(manager, userId, ids, by);
    return ids;
  }
}
