import type { EntityManager } from 'typeorm';
import type { RequestOrigin } from '../../../kernel/principal.types.js';

/** One thing that opens an account. */
export interface AccountCredential {
  /** The name of its kind, such as `passkeys`. */
  readonly kind: string;
  readonly id: string;
  /** The name that its owner knows, or of the provider; null if it has none. */
  readonly name: string | null;
  /** The address at a provider, or the prefix of a key; null if there is none. */
  readonly detail: string | null;
  readonly createdAt: Date;
}

/** The request that revokes credentials, for the audit log. */
export interface RevokedBy {
  /** The actor; the owner unless given. */
  readonly actor?: string | undefined;
  readonly origin?: RequestOrigin | undefined;
}

/**
 * A kind of credential that has rows in a table with `id`, `user_id` and `created_at`. A provider of this class is registered
 * automatically, in whichever module. Every flow that revokes credentials reaches it.
 */
export abstract class CredentialKind {
  /** The name in lists and in `revoke`; no two kinds share one. */
  abstract readonly name: string;

  protected abstract readonly table: string;

  /** SQL expression of the name that its owner knows. */
  protected readonly label: string = 'NULL';

  /** SQL expression of a detail that tells it from others of the same name. */
  protected readonly detail: string = 'NULL';

  /** SQL condition of the rows of this kind. */
  protected readonly condition: string = 'true';

  /** SQL condition of the listed rows. The others, such as an app without its first code, are revoked too. */
  protected readonly isListed: string = 'true';

  /** Whether the owner can select the kind in recovery. */
  readonly isSelectable: boolean = false;

  /** Whether it is a second factor: recovery by mail alone must not revoke an old one without another proof. */
  readonly isSecondFactor: boolean = false;

  /** Returns the credentials of an account, oldest first. */
  async list(manager: EntityManager, userId: string): Promise<readonly AccountCredential[]> {
    const text = `SELECT $2::text AS kind, id::text AS id, (${this.label})::text AS name, (${this.detail})::text AS detail,
      created_at AS "createdAt" FROM ${this.table} WHERE user_id = $1 AND ${this.condition} AND ${this.isListed}
      ORDER BY created_at, id`;
    return manager.query<AccountCredential[]>(text, [userId, this.name]);
  }

  /**
   * Revokes the credentials of a locked account, in the caller's transaction.
   *
   * @param since revokes only those that were created at this time or later; null for all.
   * @returns the ids of the revoked ones.
   */
  async revoke(manager: EntityManager, userId: string, since: Date | null, by: RevokedBy): Promise<readonly string[]> {
    return this.delete(manager, userId, '($2::timestamptz IS NULL OR created_at >= $2)', since, by);
  }

  /** Revokes one credential of a locked account, in the caller's transaction. Returns whether it existed. */
  async revokeOne(manager: EntityManager, userId: string, id: string, by: RevokedBy): Promise<boolean> {
    return (await this.delete(manager, userId, 'id = $2', id, by)).length > 0;
  }

  /** Does what follows from a revocation, such as audit entries. */
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
