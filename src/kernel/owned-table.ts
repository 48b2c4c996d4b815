import { assertOwnedOnce } from './errors/definition-error.js';

export class OwnedTable<Row> {
  private readonly rows = new Map<string, Row>();
  private readonly owners: (readonly [name: string, owner: string])[] = [];

  /** @param what kind of the rows, for the error message: "the error". */
  constructor(private readonly what: string) {}

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
