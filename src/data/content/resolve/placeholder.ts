/** Names what a placeholder stands for. */
export type PlaceholderName = 'now' | 'auth.id' | 'auth.email' | 'key' | `cursor.${number}`;

/** A value that a statement is compiled without: it is bound each time that the statement runs. */
export class Placeholder {
  constructor(
    readonly name: PlaceholderName,
    private readonly source: Placeholders,
  ) {}

  /** Returns the value of the request that the statement is made for; the statement then serves that request alone. */
  reveal(): string | Date {
    return this.source.reveal(this.name);
  }
}

/** Makes the placeholders of one statement, and notes whether one of them had to be known while it was made. */
export class Placeholders {
  private revealed = false;

  /** @param known the values of the request that the statement is made for. */
  constructor(private readonly known: Readonly<Partial<Record<PlaceholderName, string | Date>>>) {}

  value(name: PlaceholderName): Placeholder {
    return new Placeholder(name, this);
  }

  /** @throws TypeError for a value that nobody may look at while a statement is made. */
  reveal(name: PlaceholderName): string | Date {
    const value = this.known[name];
    if (value === undefined) throw new TypeError(`${name} is not known when a statement is made.`);
    this.revealed = true;
    return value;
  }

  /** True if what was made holds for the request that it was made for, and for no other. */
  get isForOneRequest(): boolean {
    return this.revealed;
  }
}
