import { defineVariables, parseHost, parseInteger } from '../config/config.public.js';

export const METRICS_VARIABLES = defineVariables(
  'Operation',
  {
    METRICS_PORT: {
      parse: parseInteger(0, 65_535),
      meaning: 'port of `/metrics`, for Prometheus; 0 takes a free one; unset measures nothing',
    },
    METRICS_HOST: {
      default: '127.0.0.1',
      parse: parseHost,
      meaning: 'address that `/metrics` listens on; whoever reaches it reads it',
    },
  },
  {
    settings: ({ METRICS_PORT: port, METRICS_HOST: host }) => ({ metrics: port === undefined ? null : { port, host } }),
    faults: ({ metrics, port }) =>
      metrics !== null && metrics.port !== 0 && metrics.port === port
        ? ['METRICS_PORT must be another port than PORT']
        : [],
  },
);

declare module '../config/config.types.js' {
  interface Config {
    /** Address of `/metrics`; null if metrics are off. */
    readonly metrics: { readonly port: number; readonly host: string } | null;
  }
}
