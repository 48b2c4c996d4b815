import { Injectable, Logger, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { assertDistinct } from '../../kernel/errors/definition-error.js';
import type { KeyPurpose } from '../../kernel/keys/key-derivation.js';
import { defineAuditActions, OPERATOR } from '../audit/audit.public.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { KeyRing, type RingCipher } from '../../kernel/keys/key-ring.js';

const ACTIONS = defineAuditActions('Keys', {
  'key.rotate': 'Stored secrets were re-encrypted with APP_KEY.',
});

declare module '../audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** Describes where secrets are stored that a `RingCipher` has encrypted. The SQL texts must be constants. */
export interface StoredSecrets<Row = Record<string, unknown>> {
  /** Dotted and unique, such as `mail.outbox`. */
  readonly name: string;
  readonly purpose: KeyPurpose<'survives'>;
  /** A table with a uuid primary key `id`. */
  readonly table: string;
  /** SQL of the encrypted text, such as the name of its column. */
  readonly sealed: string;
  /** SQL that assigns the text `$2`. Default: `<sealed> = $2`. */
  readonly assignment?: string;
  /** SQL condition, if only some rows have a secret. */
  readonly where?: string;
  /** SQL of the columns for the label, in addition to `id`. */
  readonly columns?: string;
  /** Consequence of a lost key: a sentence for the log. The start then checks for missing keys. */
  readonly loss?: string;
  /** Returns the label under which the secret of a row was encrypted. */
  label(row: Row & { readonly id: string }): string;
}

export interface RotatedSecrets {
  readonly name: string;
  /** Secrets of previous keys that were re-encrypted, or would be in a dry run. */
  readonly resealed: number;
  readonly unreadable: number;
  /** Secrets that were locked by other transactions until the end. */
  readonly left: number;
}

interface SealedRow {
  readonly id: string;
  readonly sealed: string;
}

interface Pass {
  resealed: number;
  unreadable: number;
}

const UNREADABLE = 'Secrets are encrypted with a key that is neither APP_KEY nor in APP_KEY_PREVIOUS. Add that key.';
const BATCH = 200;
/** @internal */
const MAX_PASSES = 20;
const PAUSE_MS = 250;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

@Injectable()
export class KeyRotation implements OnApplicationBootstrap {
  private readonly logger = new Logger('Keys');
  private readonly owners: StoredSecrets[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly ring: KeyRing,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DefinitionError for a second owner of the same name. */
  register(secrets: StoredSecrets): void {
    this.owners.push(secrets);
    assertDistinct(
      this.owners.map(({ name }) => name),
      'Two stores of secrets have the name',
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const { name: stored, table, loss } of this.owners) {
      if (loss === undefined) continue;
      const { length: keys } = await this.missingKeys(this.dataSource.manager, new Set([table]));
      if (keys > 0) this.logger.warn({ stored, keys, msg: `${UNREADABLE} ${loss}` });
    }
  }

  async missingKeys(manager: EntityManager, tables: ReadonlySet<string>): Promise<readonly string[]> {
    const ids = new Set<string>();
    for (const { table, sealed, where = 'true' } of this.owners.filter((owner) => tables.has(owner.table))) {
      const text = `SELECT DISTINCT split_part(${sealed}, '.', 2) AS id FROM ${table} WHERE ${where}`;
      for (const { id } of await manager.query<{ id: string }[]>(text)) if (!this.ring.has(id)) ids.add(id);
    }
    return [...ids];
  }

  /** Re-encrypts the secrets of previous keys in batches, while they are in use. */
  async rotate({ dryRun = false } = {}): Promise<readonly RotatedSecrets[]> {
    const rotated: RotatedSecrets[] = [];
    for (const owner of this.owners) rotated.push(await this.rotateStore(owner, dryRun));
    if (dryRun) return rotated;
    const facts = Object.fromEntries(rotated.map(({ name, resealed }) => [name, resealed]));
    const event = { action: 'key.rotate', actor: OPERATOR, resource: `key:${this.ring.keyId}`, facts } as const;
    await this.audit.write(this.dataSource.manager, event);
    return rotated;
  }

  /** Locked rows are skipped until the next pass, so there are no lock waits and no deadlocks. */
  private async rotateStore(owner: StoredSecrets, dryRun: boolean): Promise<RotatedSecrets> {
    let resealed = 0;
    for (let passes = 1; ; passes += 1) {
      const pass = await this.pass(owner, dryRun);
      const { unreadable } = pass;
      resealed += pass.resealed;
      const left = dryRun ? 0 : (await this.count(owner)) - unreadable;
      if (left <= 0 || passes === MAX_PASSES)
        return { name: owner.name, resealed, unreadable, left: Math.max(0, left) };
      await delay(PAUSE_MS);
    }
  }

  /** Re-encrypts the rows in batches, or only counts them in a dry run. */
  private async pass(owner: StoredSecrets, dryRun: boolean): Promise<Pass> {
    const counted: Pass = { resealed: 0, unreadable: 0 };
    const cipher = this.ring.cipher(owner.purpose);
    const columns = owner.columns === undefined ? '' : `, ${owner.columns}`;
    const text = `SELECT id, ${owner.sealed} AS sealed${columns} ${this.from(owner)} AND id > $1
      ORDER BY id LIMIT ${BATCH} ${dryRun ? '' : 'FOR UPDATE SKIP LOCKED'}`;
    for (let after: string | undefined = FIRST_ID; after !== undefined;) {
      const id: string = after;
      after = await this.dataSource.transaction(async (manager) => {
        const rows = await manager.query<SealedRow[]>(text, [id]);
        for (const row of rows) counted[await resealRow(owner, row, cipher, dryRun ? null : manager)] += 1;
        return rows.at(-1)?.id;
      });
    }
    return counted;
  }

  private async count(owner: StoredSecrets): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(`SELECT count(*)::int AS count ${this.from(owner)}`);
    return row?.count ?? 0;
  }

  private from({ table, sealed, where = 'true' }: StoredSecrets): string {
    return `FROM ${table} WHERE (${where}) AND ${sealed} NOT LIKE 'v1.${this.ring.keyId}.%'`;
  }
}

/** @param manager null in a dry run. */
async function resealRow(
  owner: StoredSecrets,
  row: SealedRow,
  cipher: RingCipher,
  manager: EntityManager | null,
): Promise<keyof Pass> {
  const { table, sealed: column, assignment = `${column} = $2` } = owner;
  const label = owner.label({ ...row });
  const content = cipher.open(label, row.sealed);
  if (content === null) return 'unreadable';
  await manager?.query(`UPDATE ${table} SET ${assignment} WHERE id = $1`, [row.id, cipher.seal(label, content)]);
  return 'resealed';
}

/** Registers the location of stored secrets for key rotation. It belongs in the module that owns the table. */
export function storedSecrets<Row>(secrets: StoredSecrets<Row>): Provider {
  const useFactory = (rotation: KeyRotation): string => {
    rotation.register(secrets as StoredSecrets);
    return secrets.name;
  };
  return { provide: Symbol(`stored secrets ${secrets.name}`), inject: [KeyRotation], useFactory };
}
