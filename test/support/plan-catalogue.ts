import type { SchemaModel } from '../../src/data/model/schema-model.types.js';
import type { PlanAction } from '../../src/data/schema/plan/plan.types.js';

interface Table {
  columns: Map<string, string>;
  objects: Set<string>;
}

/** An in-memory catalogue of names and types that rejects changes which a real database would reject. */
export class PlanCatalogue {
  private readonly tables = new Map<string, Table>();

  static of(model: SchemaModel): PlanCatalogue {
    const catalogue = new PlanCatalogue();
    const tables = Object.values(model.schemas).flatMap((schema) => [schema.table, ...schema.junctions]);
    for (const table of tables) {
      const objects = [
        ...table.indexes,
        ...table.checks,
        ...table.foreignKeys,
        ...(table.managed ? [table.primaryKey] : []),
      ];
      catalogue.tables.set(table.name, {
        columns: new Map(table.columns.map((column) => [column.name, typeOf(column)])),
        objects: new Set(objects.map(({ name }) => name)),
      });
    }
    return catalogue;
  }

  visible(): unknown {
    const tables = [...this.tables].filter(([name]) => !name.startsWith('_dropped_'));
    return Object.fromEntries(
      tables.map(([name, { columns, objects }]) => {
        const kept = [...columns].filter(([column]) => !column.startsWith('_dropped_'));
        return [name, { columns: Object.fromEntries(kept), objects: new Set(objects) }];
      }),
    );
  }

  take(action: PlanAction): void {
    if (action.kind === 'create_table') {
      const { columns, checks, primaryKey } = action.definition;
      const objects = [primaryKey.name, ...checks.map(({ name }) => name)];
      for (const name of objects) this.assertFree(name);
      this.add(this.tables, action.table, {
        columns: new Map(columns.map((column) => [column.name, typeOf(column)])),
        objects: new Set(objects),
      });
    } else if (action.kind === 'archive_table') {
      const { objects } = this.get(this.tables, action.table);
      objects.delete(action.primaryKey);
      objects.add(action.archivedPrimaryKey);
      this.move(this.tables, action.table, action.archived);
    } else if (action.kind === 'rename_table') {
      this.move(this.tables, action.table, action.to);
    } else {
      this.change(action, this.get(this.tables, action.table));
    }
  }

  private change(action: PlanAction, { columns, objects }: Table): void {
    const names = new Map([...objects].map((name) => [name, name]));
    if ('column' in action && typeof action.column === 'object' && action.kind !== 'add_column')
      this.get(columns, action.column.name);
    if (action.kind === 'add_column') this.add(columns, action.column.name, typeOf(action.column));
    if (action.kind === 'archive_column') this.move(columns, action.column.name, action.archived);
    if (action.kind === 'rename_column') this.move(columns, action.column, action.to);
    if (
      ['change_type', 'set_not_null', 'drop_not_null'].includes(action.kind) &&
      'column' in action &&
      typeof action.column === 'object'
    ) {
      columns.set(action.column.name, typeOf(action.column));
    }
    if (action.kind === 'rename_index') this.move(names, action.index, action.to);
    if (action.kind === 'rename_constraint') this.move(names, action.constraint, action.to);
    if (action.kind === 'create_index') this.use(columns, names, action.index.columns, action.index.name);
    if (action.kind === 'add_check') this.use(columns, names, [action.check.column], action.check.name);
    if (action.kind === 'add_foreign_key') {
      this.use(columns, names, [action.foreignKey.column], action.foreignKey.name);
      this.get(this.get(this.tables, action.foreignKey.targetTable).columns, action.foreignKey.targetColumn);
    }
    if (action.kind === 'drop_index') this.remove(names, action.index.name);
    if (action.kind === 'drop_check') this.remove(names, action.check.name);
    if (action.kind === 'drop_foreign_key') this.remove(names, action.foreignKey.name);
    objects.clear();
    for (const name of names.keys()) objects.add(name);
  }

  private use(columns: Map<string, string>, names: Map<string, string>, needed: readonly string[], name: string): void {
    for (const column of needed) this.get(columns, column);
    this.assertFree(name);
    this.add(names, name, name);
  }

  /** Index names must be unique across all tables, including dropped ones. */
  private assertFree(name: string): void {
    for (const { objects } of this.tables.values())
      if (objects.has(name)) throw new Error(`there is a ${name} already`);
  }

  private get<T>(map: Map<string, T>, name: string): T {
    const value = map.get(name);
    if (value === undefined) throw new Error(`there is no ${name}`);
    return value;
  }

  private add<T>(map: Map<string, T>, name: string, value: T): void {
    if (map.has(name)) throw new Error(`there is a ${name} already`);
    map.set(name, value);
  }

  private remove<T>(map: Map<string, T>, name: string): void {
    this.get(map, name);
    map.delete(name);
  }

  private move<T>(map: Map<string, T>, from: string, to: string): void {
    const value = this.get(map, from);
    this.add(map, to, value);
    map.delete(from);
  }
}

function typeOf(column: { sqlType: string; nullable: boolean }): string {
  return `${column.sqlType}${column.nullable ? '' : ' NOT NULL'}`;
}
