import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { quoteIdentifier as q } from '../model/identifiers.js';
import { isTextKey, RESERVED_KEYS } from '../model/reserved-words.js';
import type { LinkedSchema } from '../model/schema-model.types.js';
import { SchemaSnapshots } from '../schema/schema-snapshots.service.js';

/** Maximum number of keys logged per schema. @internal */
const MOST_NAMED = 10;
const CONTROL_CHARACTERS = '[\u0001-\u001f\u007f-\u009f]';

/** Logs existing records with reserved keys at startup. Filters find these records, but their URLs do not work. */
@Injectable()
export class ReservedKeys implements OnApplicationShutdown {
  private readonly logger = new Logger('Content');
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly snapshots: SchemaSnapshots,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Starts the check without blocking startup, because reading all keys of a large table takes time. */
  start(): void {
    this.running = this.report().catch((err: unknown) => {
      this.logger.warn({ err, msg: 'Reserved keys of existing records could not be read.' });
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.running;
  }

  async report(): Promise<void> {
    for (const schema of Object.values(this.snapshots.current.schemas)) {
      const keys = await this.reservedIn(schema);
      if (keys.length === 0) continue;
      const named = keys.slice(0, MOST_NAMED).map((key) => JSON.stringify(key));
      const list = `${named.join(', ')}${keys.length > MOST_NAMED ? ', …' : ''}`;
      this.logger.warn(
        `Records of "${schema.name}" have keys that no address leads to: ${list}. Read them with a filter, and give them other keys.`,
      );
    }
  }

  private async reservedIn({ fields, primaryField, table }: LinkedSchema): Promise<readonly string[]> {
    const key = fields[primaryField];
    if (!isTextKey(key)) return [];
    const column = q(key.column);
    const rows = await this.dataSource.query<{ key: string }[]>(
      `SELECT ${column} AS key FROM ${q(table.name)} WHERE ${column} = ANY($1) OR ${column} ~ $2 ORDER BY 1 LIMIT $3`,
      [RESERVED_KEYS, CONTROL_CHARACTERS, MOST_NAMED + 1],
    );
    return rows.map((row) => row.key);
  }
}
