/** Labels of a reading, by name. Each value is of a closed set. */
export type Labels = Readonly<Record<string, string>>;

/** A number that was read, with its labels. */
export interface Reading {
  readonly labels?: Labels;
  readonly value: number;
}

/** Describes a number that the process tells about itself, in the words of Prometheus. */
export interface MetricDefinition {
  /** `lintel_…`, with its unit behind it. */
  readonly name: string;
  readonly help: string;
}

/** Describes a counter and its labels: each with the values that it may have. Others are counted as `other`. */
export interface CounterDefinition<Label extends string> extends MetricDefinition {
  readonly labels: Readonly<Record<Label, readonly string[]>>;
}

interface Count {
  readonly labels: Labels;
  value: number;
}

/** Counts what happens in this process since it began. */
export class Counter<Label extends string = string> {
  private readonly counts = new Map<string, Count>();
  private readonly allowed: ReadonlyMap<string, Set<string>>;

  constructor(readonly definition: CounterDefinition<Label>) {
    const labels = Object.entries<readonly string[]>(definition.labels);
    this.allowed = new Map(labels.map(([label, values]) => [label, new Set(values)]));
  }

  /** Adds values that a label may have: names that are known once the application is put together. */
  allow(label: Label, values: Iterable<string>): void {
    for (const value of values) this.allowed.get(label)?.add(value);
  }

  /** Counts one more. */
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
   * Returns one reading for each combination of declared label values, 0 if nothing was counted: an alert on `increase()` does not
   * see the first event of a series that begins at 1.
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

/** Defines a counter, beside what it counts. It counts whether or not anybody asks for it: for what is rare, that is nothing. */
export function defineCounter<const Label extends string>(definition: CounterDefinition<Label>): Counter<Label> {
  const counter = new Counter(definition);
  COUNTERS.set(definition.name, counter as unknown as Counter);
  return counter;
}

/** Returns every counter that is defined. */
export function counters(): readonly Counter[] {
  return [...COUNTERS.values()];
}
