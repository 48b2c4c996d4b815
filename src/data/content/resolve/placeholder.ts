export type PlaceholderName = 'now' | 'auth.id' | 'auth.email' | 'key' | `cursor.${number}`;

/** A value that is bound when the statement runs, not when it is compiled. */
export class Placeholder {
  constructor(
    readonly name: PlaceholderName,
    private readonly source: Placeholders,
  ) {}

  /** Returns the value of the current request. The compiled statement can then not be reused for other requests. */
  reveal(): string | Date {
    return this.source.reveal(this.name);
  }
}

export class Placeholders {
  private revealed = false;

  constructor(private readonly values: Readonly<Partial<Record<PlaceholderName, string | Date>>>) {}

  value(name: PlaceholderName): Placeholder {
    return new Placeholder(name, this);
  }

  /** @throws TypeError for a value that is not available during compilation. */
  reveal(name: PlaceholderName): string | Date {
    const value = this.values[name];
    if (value === undefined) throw new TypeError(`${name} is not known when a statement is made.`);
    this.revealed = true;
    return value;
  }

  /** True if the statement depends on a value of the current request and must not be cached. */
  get isForOneRequest(): boolean {
    return this.revealed;
  }
}
