import { assertOwnedOnce } from './errors/definition-error.js';

/** Rows that features define beside themselves, by names of which each has one owner. */
export class OwnedTable<Row> {
  private readonly rows = new Map<string, Row>();
  private readonly owners: (readonly [name: string, owner: string])[] = [];

  /** @param what a row is, for the sentence about one that is defined twice: "the error". */
  constructor(private readonly what: string) {}

  /** Adds the rows of an owner. A name that is there already stays as it is, until {@link assertOwnedOnce} tells. */
  define<const Table extends Readonly<Record<string, Row>>>(owner: string, table: Table): Table {
    for (const [name, row] of Object.entries(table)) {
      this.owners.push([name, owner]);
      if (!this.rows.has(name)) this.rows.set(name, row);
    }
    return table;
  }

  /** Holds that each name has one owner. @throws DefinitionError that names both owners. */
  assertOwnedOnce(): void {
    assertOwnedOnce(this.what, this.owners);
  }

  /** Returns the row of a name, if it is defined. */
  find(name: string): Row | undefined {
    return this.rows.get(name);
  }

  /** Returns every row with its name, in the order of definition. */
  entries(): readonly (readonly [name: string, row: Row])[] {
    return [...this.rows];
  }
}
