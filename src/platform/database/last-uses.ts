import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Clock } from '../../kernel/clock.port.js';

/** @internal */
const MAX_NOTED = 100_000;

/** Collects the uses of rows for `last_used_at` of a table, and writes them together in one statement. */
export class LastUses {
  private readonly logger = new Logger('LastUses');
  private noted = new Set<string>();

  /** @param table has an `id` and a `last_used_at`. */
  constructor(
    private readonly table: string,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  note(id: string): void {
    if (this.noted.size < MAX_NOTED) this.noted.add(id);
  }

  /** Writes the collected uses. If this fails, they are lost. */
  async flush(): Promise<void> {
    const ids = [...this.noted];
    this.noted = new Set();
    if (ids.length === 0) return;
    const text = `UPDATE ${this.table} SET last_used_at = $2 WHERE id = ANY($1) AND (last_used_at IS NULL OR last_used_at < $2)`;
    await this.dataSource.query(text, [ids, this.clock.now()]).catch((err: unknown) => {
      this.logger.warn({ err, table: this.table, msg: 'Last-use times could not be stored.' });
    });
  }
}
