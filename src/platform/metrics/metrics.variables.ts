import { defineVariables, parseHost, parseInteger } from '../config/config.public.js';

export const METRICS_VARIABLES = defineVariables(
  'Operation',
  {
    METRICS_PORT: {
      parse: parseInteger(0, 65_535),
      meaning: 'port of `/metrics` for Prometheus; 0 selects a free port; unset disables metrics',
    },
    METRICS_HOST: {
      default: '127.0.0.1',
      parse: parseHost,
      meaning: 'address on which `/metrics` listens; it requires no authentication',
    },
  },
  {
    settings: ({ METRICS_PORT: port, METRICS_HOST: host }) => ({ metrics: port === undefined ? null : { port, host } }),
    faults: ({ metrics, port }) =>
      metrics !== null && metrics.port !== 0 && metrics.port === port ? ['METRICS_PORT must differ from PORT'] : [],
  },
);

declare module '../config/config.types.js' {
  interface Config {
    /** Address of `/metrics`; null if metrics are off. */
    readonly metrics: { readonly port: number; readonly host: string } | null;
  }
}
