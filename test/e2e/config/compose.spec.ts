import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { applicationVariables, parseAppConfig } from '../../../src/app.module.js';

const DOCKER = join(__dirname, '../../../docker');

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
}

/** The YAML reader of a dependency. */
const yaml = createRequire(createRequire(__filename).resolve('@nestjs/swagger'))('js-yaml') as {
  load(text: string): unknown;
};
interface Compose {
  readonly services: Readonly<Record<string, Service & { readonly '<<'?: Service }>>;
  readonly volumes: object;
}
const { services: written, volumes } = yaml.load(readFileSync(join(DOCKER, 'compose.yaml'), 'utf8')) as Compose;
/** Resolves merge keys (YAML 1.1, "Merge Key"), whether the reader does so or not. */
const services = Object.fromEntries(
  Object.entries(written).map(([name, { '<<': base, ...own }]): [string, Service] => [name, { ...base, ...own }]),
);
const instances = Object.entries(services).filter(([, { image }]) => image === 'lintel');

/** Expands a value as a shell does if only the required variables are set. */
const filled = (value: string): string =>
  value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, __, how: string, rest: string) =>
    how === '-' ? rest : 'k'.repeat(32),
  );

describe('docker/compose.yaml', () => {
  it('has two equally configured instances with existing variables', () => {
    expect(instances.map(([name]) => name)).toEqual(['one', 'two']);
    const [one = {}, two = {}] = instances.map(([, { environment }]) => environment);
    expect(two).toEqual(one);
    const known = applicationVariables().flatMap(({ variables }) => Object.keys(variables));
    expect(Object.keys(one).filter((name) => !known.includes(name))).toEqual([]);
    const values = Object.fromEntries(Object.entries(one).map(([name, value]) => [name, filled(String(value))]));
    const config = parseAppConfig({ NODE_ENV: 'production', ...values });
    expect([config.databaseUrl, config.trustProxy]).toEqual(['postgres://lintel:lintel@database:5432/lintel', 1]);
  });

  it('waits for dependencies, checks health, has volumes, and mounts existing files', () => {
    const ownHealth = /^HEALTHCHECK /m.test(readFileSync(join(DOCKER, 'Dockerfile'), 'utf8'));
    for (const [name, service] of Object.entries(services)) {
      for (const awaited of Object.keys(service.depends_on ?? {})) {
        const { healthcheck, image } = services[awaited] ?? {};
        expect([name, awaited, healthcheck !== undefined || (image === 'lintel' && ownHealth)]).toEqual([
          name,
          awaited,
          true,
        ]);
      }
      for (const volume of service.volumes ?? []) {
        const [from = ''] = volume.split(':');
        expect([from, from.startsWith('./') ? existsSync(join(DOCKER, from)) : from in volumes]).toEqual([from, true]);
      }
      if (service.build) expect(existsSync(join(DOCKER, service.build.context, service.build.dockerfile))).toBe(true);
      else if (service.image !== 'lintel') expect(service.image).toMatch(/:[^:]*\d/);
    }
    expect(instances.filter(([, { build }]) => build).length).toBe(1);
  });

  it('has a proxy to both that checks their readiness', () => {
    const proxy = readFileSync(join(DOCKER, 'Caddyfile'), 'utf8');
    expect(/reverse_proxy (.*) \{/.exec(proxy)?.[1]?.split(' ')).toEqual(instances.map(([name]) => `${name}:8000`));
    expect(proxy).toContain('health_uri /readyz');
  });
});
