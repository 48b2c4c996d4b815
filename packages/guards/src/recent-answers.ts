interface Entry<T> {
  readonly value: Promise<T>;
  untilMs: number;
}

/** Caches results for a short time. Parallel requests of a key share one call, and failed calls are not cached. */
export class RecentAnswers<T> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(
    private readonly keptMs: number,
    private readonly maxEntries: number,
  ) {}

  /** Returns the cached result, or calls `ask`. @throws what `ask` throws. */
  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.entries.get(key);
    if (known !== undefined && performance.now() < known.untilMs) return known.value;
    const entry: Entry<T> = { value: ask(), untilMs: Number.POSITIVE_INFINITY };
    this.entries.delete(key);
    this.entries.set(key, entry);
    entry.value.then(
      () => (entry.untilMs = performance.now() + this.keptMs),
      () => this.entries.get(key) === entry && this.entries.delete(key),
    );
    this.dropOldest();
    return entry.value;
  }

  private dropOldest(): void {
    for (const key of this.entries.keys()) {
      if (this.entries.size <= this.maxEntries) return;
      this.entries.delete(key);
    }
  }
}
