import { Injectable, type Provider } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { factsOf, OPERATOR } from '../audit/audit.public.js';
import { AuditTrail } from '../audit/audit-trail.service.js';

/** Kinds of what a restored database would bring back although it had ended since. */
export const ENDED_BY_RESTORE = ['sessions', 'secrets', 'keys'] as const;

/** Sessions; links and codes that were sent; API keys. */
export type EndedByRestore = (typeof ENDED_BY_RESTORE)[number];

/** Restoration, for the audit log. */
export interface Restoration {
  /** The backup and the moment; null for a standby, which has no other than the last one that it heard of. */
  readonly from: { readonly backup: string; readonly until: Date } | null;
  /** Kinds that stay as they were at that moment. */
  readonly keep: readonly EndedByRestore[];
}

/** Numbers of what was ended, by kind. */
export type EndedCounts = Readonly<Partial<Record<EndedByRestore, number>>>;

/** Makes a database that was restored fit to be used: what may have ended since its moment has ended. */
@Injectable()
export class RestoredDatabase {
  private readonly tables: { readonly what: EndedByRestore; readonly table: string }[] = [];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Has the rows of a table end with each restore. */
  register(what: EndedByRestore, table: string): void {
    this.tables.push({ what, table });
  }

  /** Returns the tables whose rows end with each restore. */
  tablesOf(what: readonly EndedByRestore[]): readonly string[] {
    return this.tables.flatMap((one) => (what.includes(one.what) ? [one.table] : []));
  }

  /** Ends what is not kept, and writes the restore down, in one transaction. */
  async settle({ from, keep }: Restoration): Promise<EndedCounts> {
    return this.dataSource.transaction(async (manager) => {
      const ended: Partial<Record<EndedByRestore, number>> = {};
      for (const { what, table } of this.tables.filter((one) => !keep.includes(one.what))) {
        const [, count] = await manager.query<[unknown[], number]>(`DELETE FROM ${table}`);
        ended[what] = (ended[what] ?? 0) + count;
      }
      const changes = factsOf({ until: from?.until.toISOString(), ...ended });
      const event =
        from === null
          ? ({ action: 'standby.promote', actor: OPERATOR, resource: 'standby', changes } as const)
          : ({ action: 'backup.restore', actor: OPERATOR, resource: `backup:${from.backup}`, changes } as const);
      await this.audit.write(manager, { ...event, at: this.clock.now() });
      return ended;
    });
  }

  /** Counts the rows of every table that has some. */
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

/** Provides what a restore ends: it stands in the module that owns the table. */
export function endedByRestore(what: EndedByRestore, ...tables: readonly string[]): Provider {
  const useFactory = (restored: RestoredDatabase): readonly string[] => {
    for (const table of tables) restored.register(what, table);
    return tables;
  };
  return { provide: Symbol(`ended by a restore: ${tables.join(', ')}`), inject: [RestoredDatabase], useFactory };
}
