import { LRUCache } from 'lru-cache';
import type { TextStatement } from '../../../platform/database/database.public.js';

/**
 * Chooses which statements are kept prepared: of those that came more than once, the ones used last. A statement that is
 * kept has one of a fixed number of names; when another takes its name, each connection closes the former statement at its
 * next use of the name (PostgreSQL §54.2.3), so that no connection ever holds more than that many.
 */
export class StatementCache {
  private readonly kept: LRUCache<string, TextStatement>;
  /** Texts that came once: a stream of statements that nobody sends again takes no name from another. */
  private readonly seen: LRUCache<string, true>;
  private free: string[] = [];

  /** @param most statements that are kept prepared. */
  constructor(private readonly most: number) {
    const dispose = ({ name }: TextStatement): unknown => this.free.push(name);
    this.kept = new LRUCache({ max: most, dispose });
    this.seen = new LRUCache({ max: 2 * most });
    this.clear();
  }

  /** Number of statements that are kept prepared. */
  get size(): number {
    return this.kept.size;
  }

  /** Returns the statement of a text, with a name if it is to be kept prepared. */
  of(text: string): TextStatement {
    const known = this.kept.get(text);
    if (known !== undefined) return known;
    if (!this.seen.delete(text)) {
      this.seen.set(text, true);
      return { name: '', text };
    }
    // The one that was used least gives up its name.
    if (this.free.length === 0) this.kept.pop();
    const statement = { name: this.free.pop() ?? '', text };
    this.kept.set(text, statement);
    return statement;
  }

  /** Forgets all statements, as those of schemas that are no more. */
  clear(): void {
    this.kept.clear();
    this.seen.clear();
    this.free = Array.from({ length: this.most }, (_, at) => `lintel_${this.most - at}`);
  }
}
