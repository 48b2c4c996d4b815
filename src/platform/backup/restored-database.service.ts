import { Injectable, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OPERATOR } from '../audit/audit.public.js';
import { AuditTrail } from '../audit/audit-trail.service.js';

/** Kinds of credentials that a restore would bring back although they were revoked after the backup. */
export const ENDED_BY_RESTORE = ['sessions', 'secrets', 'keys'] as const;

/** Sessions; links and codes that were sent; API keys. */
export type EndedByRestore = (typeof ENDED_BY_RESTORE)[number];

export interface Restoration {
  /** The backup and the restored point in time; null for a promoted standby, which has the last received state. */
  readonly from: { readonly backup: string; readonly until: Date } | null;
  readonly keep: readonly EndedByRestore[];
}

export type EndedCounts = Readonly<Partial<Record<EndedByRestore, number>>>;

/** Prepares a restored database for use: revokes credentials that may have been revoked after the backup. */
@Injectable()
export class RestoredDatabase {
  private readonly tables: { readonly what: EndedByRestore; readonly table: string }[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
  ) {}

  register(what: EndedByRestore, table: string): void {
    this.tables.push({ what, table });
  }

  tablesOf(what: readonly EndedByRestore[]): readonly string[] {
    return this.tables.flatMap((one) => (what.includes(one.what) ? [one.table] : []));
  }

  /** Revokes all kinds that are not kept, and writes the audit event, in one transaction. */
  async settle({ from, keep }: Restoration): Promise<EndedCounts> {
    return this.dataSource.transaction(async (manager) => {
      const ended: Partial<Record<EndedByRestore, number>> = {};
      for (const { what, table } of this.tables.filter((one) => !keep.includes(one.what))) {
        const [, count] = await manager.query<[unknown[], number]>(`DELETE FROM ${table}`);
        ended[what] = (ended[what] ?? 0) + count;
      }
      await this.audit.write(manager, {
        action: from === null ? 'standby.promote' : 'backup.restore',
        actor: OPERATOR,
        resource: from === null ? 'standby' : `backup:${from.backup}`,
        facts: { until: from?.until.toISOString(), ...ended },
      });
      return ended;
    });
  }

  async countRows(): Promise<Readonly<Record<string, number>>> {
    const tables = await this.dataSource.query<{ name: string }[]>(
      `SELECT c.relname AS name FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
    );
    const counts: [string, number][] = [];
    for (const { name } of tables) {
      const quoted = `"${name.replaceAll('"', '""')}"`;
      const [row] = await this.dataSource.query<{ count: number }[]>(`SELECT count(*)::float8 AS count FROM ${quoted}`);
      if (row !== undefined && row.count > 0) counts.push([name, row.count]);
    }
    return Object.fromEntries(counts);
  }
}

/** Registers tables whose rows a restore revokes. It belongs in the module that owns them. */
export function endedByRestore(what: EndedByRestore, ...tables: readonly string[]): Provider {
  const useFactory = (restored: RestoredDatabase): readonly string[] => {
    for (const table of tables) restored.register(what, table);
    return tables;
  };
  return { provide: Symbol(`revoked by a restore: ${tables.join(', ')}`), inject: [RestoredDatabase], useFactory };
}
