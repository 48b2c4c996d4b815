import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPage } from '../../support/shell-page.js';
import { useTestApp } from '../../support/test-app.js';
import { read } from './support/scrape.js';

const ROOT = join(__dirname, '../../..');

describe('alert rules and dashboards', () => {
  const world = useTestApp({ env: { METRICS_PORT: '0' } });
  const files = ['docker/grafana/lintel.json', 'docker/prometheus/alerts.yaml'].map((file) => [
    file,
    readFileSync(join(ROOT, file), 'utf8'),
  ]);

  it.each(files)('%s names existing metrics', async (_file, text = '') => {
    const { names } = await read(world.app);
    const known = [...names].flatMap((name) => [name, `${name}_bucket`]);
    const used = [...new Set(text.match(/\b(?:lintel|nodejs|process)_[a-z0-9_]+/g))];
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('docs/guides/operating/metrics.md names every metric of the service, and no other', async () => {
    const { names } = await read(world.app);
    const page = readPage('guides/operating/metrics.md');
    // Excludes members of JSON, which are in quotes.
    const described = page.match(/(?<!")lintel_[a-z_]+/g) ?? [];
    const own = [...names].filter((name) => name.startsWith('lintel_'));
    expect([...new Set(described)].sort()).toEqual(own.sort());
  });

  it('have readable names', () => {
    const dashboard = JSON.parse(files[0]?.[1] ?? '') as { panels: { id: number; title: string }[] };
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const alerts = [...(files[1]?.[1] ?? '').matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name);
    expect(new Set(alerts).size).toBe(alerts.length);
    expect(alerts.length).toBeGreaterThan(10);
  });
});
