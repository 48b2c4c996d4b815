/** TLS modes of the database, as libpq defines them (PostgreSQL §34.19.3). */
export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

export interface DatabaseTls {
  readonly mode: (typeof SSL_MODES)[number];
  /** Trusted CA certificates (`sslrootcert`). Default: those of Node.js. */
  readonly rootFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
}

/** TLS parameters of the URL. The driver would interpret them differently. */
export const TLS_PARAMETERS: readonly string[] = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey'];
/** Value of `sslrootcert` for the CA certificates of the system. */
const SYSTEM = 'system';

/** Parses the TLS parameters of a URL. A returned text is an error that completes the sentence "DATABASE_URL must …". */
export function readTls(query: URLSearchParams): DatabaseTls | string {
  const taken = new Map<string, string>();
  for (const name of TLS_PARAMETERS) {
    const values = query.getAll(name);
    if (values.length > 1) return `have ${name} only once`;
    if (values[0] !== undefined) taken.set(name, values[0]);
  }
  if (taken.has('ssl') && (taken.get('ssl') !== 'true' || taken.has('sslmode')))
    return `have sslmode, which is one of ${SSL_MODES.join(', ')}, instead of ssl`;
  const given = taken.get('sslmode') ?? (taken.has('ssl') ? 'require' : 'prefer');
  const mode = SSL_MODES.find((one) => one === given);
  if (mode === undefined) return `have one sslmode of ${SSL_MODES.join(', ')}, and ${JSON.stringify(given)} is none`;
  const root = taken.get('sslrootcert');
  if (mode === 'verify-ca' && (root === undefined || root === SYSTEM))
    return 'have sslrootcert, a file of certificates, with sslmode=verify-ca: anybody can have a certificate of a public authority. Or use verify-full';
  return {
    // As in libpq: a configured CA certificate implies verification.
    mode: mode === 'require' && root !== undefined ? (root === SYSTEM ? 'verify-full' : 'verify-ca') : mode,
    ...(root === undefined || root === SYSTEM ? {} : { rootFile: root }),
    ...(taken.has('sslcert') ? { certificateFile: taken.get('sslcert') } : {}),
    ...(taken.has('sslkey') ? { keyFile: taken.get('sslkey') } : {}),
  };
}
