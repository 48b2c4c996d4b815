export type Action = 'cascade' | 'restrict' | 'set_null';

/** A relation between two schemas (by index): a reference, or a link through a junction table. */
export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly action: Action;
  readonly many: boolean;
}

export interface World {
  readonly soft: readonly boolean[];
  readonly edges: readonly Edge[];
}

export interface ModelRecord {
  readonly id: string;
  readonly schema: number;
  /** The deletion that deleted the record; null for a live record. */
  deletion: number | null;
  /** Target ids by relation index. */
  readonly refs: Map<number, string>;
}

/** In-memory model of deleting and restoring records (docs/guides/data/deleting-records.md). */
export class DeletionModel {
  readonly records = new Map<string, ModelRecord>();
  /** Pairs of record ids by relation index. */
  readonly links = new Map<number, Set<string>>();
  private deletions = 0;

  constructor(private readonly world: World) {
    for (const [at, { many }] of world.edges.entries()) if (many) this.links.set(at, new Set());
  }

  add(schema: number, id: string): void {
    this.records.set(id, { id, schema, deletion: null, refs: new Map() });
  }

  link(at: number, from: string, to: string): void {
    if (this.world.edges[at]?.many === true) this.links.get(at)?.add(`${from} ${to}`);
    else this.records.get(from)?.refs.set(at, to);
  }

  /** Deletes a record and returns the expected response status. */
  remove(root: ModelRecord): number {
    if (root.deletion !== null) return 404;
    const gone = this.falling(root);
    for (const [record, forGood] of gone) if (this.isRestricted(record, forGood, gone)) return 409;
    this.deletions += 1;
    for (const [record, forGood] of gone) {
      if (!forGood) record.deletion = this.deletions;
      else this.drop(record);
    }
    return 200;
  }

  /** Restores a record and returns the expected response status. */
  restore(root: ModelRecord): number {
    if (root.deletion === null) return 404;
    const back = new Set([root]);
    for (const parent of back)
      for (const record of this.dependents(parent, 'cascade'))
        if (record.deletion === parent.deletion) back.add(record);
    for (;;) {
      const loose = [...back].filter((record) => this.isLoose(record, back));
      if (loose.includes(root)) return 400;
      if (loose.length === 0) break;
      for (const record of loose) back.delete(record);
    }
    for (const record of back) record.deletion = null;
    return 200;
  }

  private falling(root: ModelRecord): Map<ModelRecord, boolean> {
    const gone = new Map([[root, this.world.soft[root.schema] !== true]]);
    const queue = [root];
    for (let parent = queue.shift(); parent !== undefined; parent = queue.shift()) {
      for (const record of this.dependents(parent, 'cascade')) {
        const forGood = gone.get(parent) === true || this.world.soft[record.schema] !== true;
        if (!forGood && record.deletion !== null) continue;
        const known = gone.get(record);
        if (known === true || known === forGood) continue;
        gone.set(record, forGood);
        queue.push(record);
      }
    }
    return gone;
  }

  private isRestricted(record: ModelRecord, forGood: boolean, gone: ReadonlyMap<ModelRecord, boolean>): boolean {
    const isReferenced = this.dependents(record, 'restrict').some((other) =>
      forGood ? gone.get(other) !== true : other.deletion === null && !gone.has(other),
    );
    return (
      isReferenced ||
      this.partners(record, 'restrict').some((other) =>
        forGood ? !gone.has(other) : other.deletion === null && !gone.has(other),
      )
    );
  }

  private isLoose({ schema, refs }: ModelRecord, back: ReadonlySet<ModelRecord>): boolean {
    return [...refs].some(([at, to]) => {
      const edge = this.world.edges[at];
      const anchor = this.records.get(to);
      if (edge?.from !== schema || edge.action === 'set_null' || anchor === undefined) return false;
      return anchor.deletion !== null && !back.has(anchor);
    });
  }

  private drop({ id }: ModelRecord): void {
    this.records.delete(id);
    for (const record of this.records.values())
      for (const [at, to] of record.refs) if (to === id) record.refs.delete(at);
    for (const pairs of this.links.values())
      for (const pair of pairs) if (pair.split(' ').includes(id)) pairs.delete(pair);
  }

  private dependents({ id }: ModelRecord, action: Action): readonly ModelRecord[] {
    return [...this.records.values()].filter(({ refs }) =>
      [...refs].some(([at, to]) => to === id && this.world.edges[at]?.action === action),
    );
  }

  private partners({ id }: ModelRecord, action: Action): readonly ModelRecord[] {
    return [...this.links].flatMap(([at, pairs]) => {
      if (this.world.edges[at]?.action !== action) return [];
      return [...pairs].flatMap((pair) => {
        const [from = '', to = ''] = pair.split(' ');
        const other = from === id ? to : to === id ? from : null;
        return this.records.get(other ?? '') ?? [];
      });
    });
  }
}
