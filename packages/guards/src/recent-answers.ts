/** Answer, or the request for it. */
interface Entry<T> {
  readonly value: Promise<T>;
  untilMs: number;
}

/** Keeps answers for a short time. Requests for the same answer share one call; a call that fails is not kept. */
export class RecentAnswers<T> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(
    private readonly keptMs: number,
    private readonly maxEntries: number,
  ) {}

  /** Returns the answer, by `ask` unless it is known. @throws what `ask` throws. */
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
