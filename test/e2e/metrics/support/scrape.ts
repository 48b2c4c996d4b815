import { MetricsServer } from '../../../../src/platform/metrics/metrics-server.service.js';
import type { TestApp } from '../../../support/test-app.js';

export interface Line {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const scrape = (app: TestApp, options?: RequestInit): Promise<Response> =>
  fetch(app.get(MetricsServer).url, options);
export const textOf = async (app: TestApp): Promise<string> => (await scrape(app)).text();

/** Parses the text format. `names` are the declared metrics. */
export async function read(
  app: TestApp,
): Promise<{ readonly lines: readonly Line[]; readonly names: ReadonlySet<string> }> {
  const text = await textOf(app);
  const lines = [...text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, set]) => [label, set]),
    ) as Line['labels'],
    value: Number(value),
  }));
  return { lines, names: new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)) };
}

/** Returns the sum of the lines that have these labels, or undefined if there are none. */
export async function valueOf(
  app: TestApp,
  name: string,
  labels: Record<string, string> = {},
): Promise<number | undefined> {
  const { lines } = await read(app);
  const matching = lines.filter(
    (line) => line.name === name && Object.entries(labels).every(([label, value]) => line.labels[label] === value),
  );
  return matching.length === 0 ? undefined : matching.reduce((sum, { value }) => sum + value, 0);
}
