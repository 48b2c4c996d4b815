/** An error whose message was written for the operator. A failed start or command prints it without a stack. */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A module, port or setting of an application is invalid. The start fails with this message. */
export class DefinitionError extends OperatorError {}

/**
 * @param what subject of the error message, before the name: "Two authenticators have the name".
 * @throws DefinitionError for the first duplicate name.
 */
export function assertDistinct(names: readonly string[], what: string): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new DefinitionError(`${what} ${twice}. Names must be unique.`);
}

/**
 * @param what kind of the names, for the error message: "the variable".
 * @throws DefinitionError with both owners of the first duplicate name.
 */
export function assertOwnedOnce(what: string, declared: readonly (readonly [name: string, owner: string])[]): void {
  const owners = new Map<string, string>();
  for (const [name, owner] of declared) {
    const first = owners.get(name);
    if (first === owner) throw new DefinitionError(`${owner} declares ${what} ${name} twice. Keep one of them.`);
    if (first !== undefined)
      throw new DefinitionError(`${first} and ${owner} both declare ${what} ${name}. Rename one of them.`);
    owners.set(name, owner);
  }
}

const TABLES: OwnedTable<unknown>[] = [];

/** @throws DefinitionError for a name with two owners in any table. */
export function assertTablesDistinct(): void {
  for (const table of TABLES) table.assertOwnedOnce();
}

export class OwnedTable<Row> {
  private readonly rows = new Map<string, Row>();
  private readonly owners: (readonly [name: string, owner: string])[] = [];

  /** @param what kind of the rows, for the error message: "the error". */
  constructor(private readonly what: string) {
    TABLES.push(this);
  }

  /** Adds the rows of an owner. A duplicate name keeps its first row until {@link assertOwnedOnce} reports it. */
  define<const Table extends Readonly<Record<string, Row>>>(owner: string, table: Table): Table {
    for (const [name, row] of Object.entries(table)) {
      this.owners.push([name, owner]);
      if (!this.rows.has(name)) this.rows.set(name, row);
    }
    return table;
  }

  /** @throws DefinitionError for a name with two owners. */
  assertOwnedOnce(): void {
    assertOwnedOnce(this.what, this.owners);
  }

  find(name: string): Row | undefined {
    return this.rows.get(name);
  }

  entries(): readonly (readonly [name: string, row: Row])[] {
    return [...this.rows];
  }
}
