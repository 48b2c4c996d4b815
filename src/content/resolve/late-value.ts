/** What a value that is filled in later stands for. */
export type LateName = 'now' | 'auth.id' | 'auth.email' | 'key' | `cursor.${number}`;

/** A value that a statement is made without: it is filled in each time that the statement runs. */
export class LateValue {
  constructor(
    readonly name: LateName,
    private readonly source: LateSource,
  ) {}

  /** The value of the request that the statement is made for; the statement then serves that request alone. */
  reveal(): string | Date {
    return this.source.reveal(this.name);
  }
}

/** Makes the late values of one statement, and notes whether one of them had to be known while it was made. */
export class LateSource {
  private revealed = false;

  /** @param known the values of the request that the statement is made for. */
  constructor(private readonly known: Readonly<Partial<Record<LateName, string | Date>>>) {}

  value(name: LateName): LateValue {
    return new LateValue(name, this);
  }

  /** @throws TypeError for a value that nobody may look at while a statement is made. */
  reveal(name: LateName): string | Date {
    const value = this.known[name];
    if (value === undefined) throw new TypeError(`${name} is not known when a statement is made.`);
    this.revealed = true;
    return value;
  }

  /** True where what was made holds for the request that it was made for, and for no other. */
  get isForOneRequest(): boolean {
    return this.revealed;
  }
}
