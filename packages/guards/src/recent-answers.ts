interface Entry<T> {
  readonly value: Promise<T>;
  untilMs: number;
}

/** Caches results for a short time. Parallel requests of a key share one call, and failed calls are not cached. */
export class RecentAnswers<T> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(
    private readonly cacheMs: number,
    private readonly maxEntries: number,
  ) {}

  /** Returns the cached result, or calls `ask`. @throws what `ask` throws. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.entries.get(key);
    if (cached !== undefined && performance.now() < cached.untilMs) return cached.value;
    const entry: Entry<T> = { value: load(), untilMs: Number.POSITIVE_INFINITY };
    this.entries.delete(key);
    this.entries.set(key, entry);
    entry.value.then(
      () => (entry.untilMs = performance.now() + this.cacheMs),
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
