/** Labels of a reading, by name. Values must be from closed sets. */
export type Labels = Readonly<Record<string, string>>;

export interface Reading {
  readonly labels?: Labels;
  readonly value: number;
}

export interface MetricDefinition {
  /** `lintel_…`, ending with its unit. */
  readonly name: string;
  readonly help: string;
}

/** A counter and the allowed values of its labels. Other values are counted as `other`. */
export interface CounterDefinition<Label extends string> extends MetricDefinition {
  readonly labels: Readonly<Record<Label, readonly string[]>>;
}

interface Count {
  readonly labels: Labels;
  value: number;
}

export class Counter<Label extends string = string> {
  private readonly counts = new Map<string, Count>();
  private readonly allowed: ReadonlyMap<string, Set<string>>;

  constructor(readonly definition: CounterDefinition<Label>) {
    const labels = Object.entries<readonly string[]>(definition.labels);
    this.allowed = new Map(labels.map(([label, values]) => [label, new Set(values)]));
  }

  allow(label: Label, values: Iterable<string>): void {
    for (const value of values) this.allowed.get(label)?.add(value);
  }

  inc(labels: Readonly<Record<Label, string>>): void {
    const closed: Record<string, string> = {};
    for (const [label, allowed] of this.allowed) {
      const value = labels[label as Label];
      closed[label] = allowed.has(value) ? value : 'other';
    }
    const key = keyOf(closed);
    const count = this.counts.get(key);
    if (count === undefined) this.counts.set(key, { labels: closed, value: 1 });
    else count.value += 1;
  }

  /**
   * Returns one reading for each combination of declared label values, 0 if nothing was counted. An alert on `increase()` does not see the
   * first event of a series that begins at 1.
   */
  readings(): readonly Reading[] {
    let zeros: Record<string, string>[] = [{}];
    for (const [label, values] of this.allowed)
      zeros = zeros.flatMap((labels) => [...values].map((value) => ({ ...labels, [label]: value })));
    const all = new Map(zeros.map((labels) => [keyOf(labels), { labels, value: 0 }]));
    for (const [key, { labels, value }] of this.counts) all.set(key, { labels, value });
    return [...all.values()];
  }
}

function keyOf(labels: Labels): string {
  return Object.values(labels).join('\n');
}

const COUNTERS = new Map<string, Counter>();

/** Defines a counter, next to the code that uses it. It also counts if metrics are off, which costs almost nothing for rare events. */
export function defineCounter<const Label extends string>(definition: CounterDefinition<Label>): Counter<Label> {
  const counter = new Counter(definition);
  COUNTERS.set(definition.name, counter as unknown as Counter);
  return counter;
}

export function counters(): readonly Counter[] {
  return [...COUNTERS.values()];
}
