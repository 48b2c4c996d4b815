import { LRUCache } from 'lru-cache';
import type { TextStatement } from '../../../platform/database/database.public.js';

/**
 * Chooses the statements to keep prepared: the most recently used of those that ran more than once. Each has one of a fixed number of
 * names. If a name is reused, each connection closes the old statement at its next use of the name (PostgreSQL §54.2.3). So no connection
 * has more than `most` prepared statements.
 */
export class StatementCache {
  private readonly kept: LRUCache<string, TextStatement>;
  /** Texts that ran once. One-off statements must not evict prepared ones. */
  private readonly seen: LRUCache<string, true>;
  private free: string[] = [];

  constructor(private readonly most: number) {
    const dispose = ({ name }: TextStatement): unknown => this.free.push(name);
    this.kept = new LRUCache({ max: most, dispose });
    this.seen = new LRUCache({ max: 2 * most });
    this.clear();
  }

  get size(): number {
    return this.kept.size;
  }

  of(text: string): TextStatement {
    const known = this.kept.get(text);
    if (known !== undefined) return known;
    if (!this.seen.delete(text)) {
      this.seen.set(text, true);
      return { name: '', text };
    }
    // Evicts the least recently used statement.
    if (this.free.length === 0) this.kept.pop();
    const statement = { name: this.free.pop() ?? '', text };
    this.kept.set(text, statement);
    return statement;
  }

  clear(): void {
    this.kept.clear();
    this.seen.clear();
    this.free = Array.from({ length: this.most }, (_, at) => `lintel_${this.most - at}`);
  }
}
