/** Modes of TLS to the database, as libpq defines them (PostgreSQL §34.19.3). */
export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** How a connection to the database uses TLS. Files are paths. */
export interface DatabaseTls {
  readonly mode: (typeof SSL_MODES)[number];
  /** Certificates of the authorities that are trusted (`sslrootcert`). Undefined: those of Node.js. */
  readonly rootFile?: string;
  /** Certificate of the client (`sslcert`). */
  readonly certificateFile?: string;
  /** Key of that certificate (`sslkey`). */
  readonly keyFile?: string;
}

/** Parameters of an address, which the driver would give another meaning. */
export const TLS_PARAMETERS: readonly string[] = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey'];
/** The value of `sslrootcert` that stands for the authorities of the system. */
const SYSTEM = 'system';

/** Reads the parameters of TLS of an address. A text completes the sentence "DATABASE_URL must …". */
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
    // As libpq: who names an authority wants it to be checked.
    mode: mode === 'require' && root !== undefined ? (root === SYSTEM ? 'verify-full' : 'verify-ca') : mode,
    ...(root === undefined || root === SYSTEM ? {} : { rootFile: root }),
    ...(taken.has('sslcert') ? { certificateFile: taken.get('sslcert') } : {}),
    ...(taken.has('sslkey') ? { keyFile: taken.get('sslkey') } : {}),
  };
}
