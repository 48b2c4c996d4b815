import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Clock } from '../../kernel/clock.port.js';

/** @internal */
const MAX_NOTED = 100_000;

/** Notes which rows of a table are used, for its `last_used_at`: a use costs no statement, all of them together cost one. */
export class LastUses {
  private readonly logger = new Logger('LastUses');
  private noted = new Set<string>();

  /** @param table one with an `id` and a `last_used_at`. */
  constructor(
    private readonly table: string,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Notes that the row was used just now. */
  note(id: string): void {
    if (this.noted.size < MAX_NOTED) this.noted.add(id);
  }

  /** Writes what was noted. A failure loses what was noted since the last time. */
  async flush(): Promise<void> {
    const ids = [...this.noted];
    this.noted = new Set();
    if (ids.length === 0) return;
    const text = `UPDATE ${this.table} SET last_used_at = $2 WHERE id = ANY($1) AND (last_used_at IS NULL OR last_used_at < $2)`;
    await this.dataSource.query(text, [ids, this.clock.now()]).catch((err: unknown) => {
      this.logger.warn({ err, table: this.table, msg: 'Uses could not be noted.' });
    });
  }
}
