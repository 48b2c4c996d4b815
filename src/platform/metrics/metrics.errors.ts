export class MetricsListenError extends Error {
  constructor({ host, port }: { readonly host: string; readonly port: number }, cause: unknown) {
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    super(
      `/metrics cannot be offered on ${host}, port ${port} (${code}): set METRICS_PORT or METRICS_HOST to another.`,
      {
        cause,
      },
    );
    this.name = 'MetricsListenError';
  }
}
