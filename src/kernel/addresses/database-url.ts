/** A host, or the directory of a unix socket, and a port. */
export interface DatabaseServer {
  readonly host: string;
  readonly port: number;
}

export interface DatabaseUrl {
  /** URL of the first server, in a form that every driver can parse. */
  readonly url: string;
  /** All servers, in order. Empty if the driver decides on the only one. */
  readonly servers: readonly DatabaseServer[];
  readonly mustAcceptWrites: boolean;
  readonly tls: DatabaseTls;
}

/** An invalid URL. The message completes the sentence "DATABASE_URL must …" and contains no secrets. */
export class DatabaseUrlFault extends Error {}

const FORM = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(\?[^#]*)?$/;
const ATTRIBUTE = 'target_session_attrs';
const DEFAULT_PORT = 5432;

/**
 * Parses a URL of the form `postgres://user:password@host:port,host:port/database?target_session_attrs=read-write` (PostgreSQL §34.1.1.3,
 * "Specifying Multiple Hosts").
 *
 * @throws DatabaseUrlFault
 */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const [, scheme = '', userInfo, hosts = '', path = '', query = ''] = FORM.exec(text) ?? [];
  if (scheme === '') throw new DatabaseUrlFault('be an address of the form postgres://… or postgresql://…');
  const parameters = new URLSearchParams(query);
  const attributes = parameters.getAll(ATTRIBUTE);
  const tls = readTls(parameters);
  if (typeof tls === 'string') throw new DatabaseUrlFault(tls);
  if (attributes.some((value) => value !== 'any' && value !== 'read-write') || attributes.length > 1)
    throw new DatabaseUrlFault(`have one ${ATTRIBUTE}, with the value read-write or any`);
  const credentials = userInfo === undefined ? '' : `${userInfo}@`;
  const named = hosts.split(',');
  const mustAcceptWrites = attributes[0] === 'read-write';
  const servers = hosts === '' && !mustAcceptWrites ? [] : named.map(readServer);
  const url = `${scheme}${credentials}${named[0]}${path}${withoutTaken(query)}`;
  if (!isReadable(url)) throw new DatabaseUrlFault('write @ : / ? # and % in its parts as %40 %3A %2F %3F %23 %25');
  return { url, servers, mustAcceptWrites, tls };
}

function readServer(text: string): DatabaseServer {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || host === '')
    throw new DatabaseUrlFault('contain a host before each comma and after the last');
  const number = port === undefined ? DEFAULT_PORT : /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535)
    throw new DatabaseUrlFault(`have a port from 1 to 65535 for each host, not ${JSON.stringify(port)}`);
  return { host: decodeHost(host), port: number };
}

function withoutTaken(query: string): string {
  const otherParameters = query
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && ![ATTRIBUTE, ...TLS_PARAMETERS].includes(part.split('=')[0] ?? ''));
  return otherParameters.length === 0 ? '' : `?${otherParameters.join('&')}`;
}

function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return URL.canParse(url);
  } catch {
    return false;
  }
}

function decodeHost(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}

/** TLS modes of the database, as libpq defines them (PostgreSQL §34.19.3). */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

export interface DatabaseTls {
  readonly mode: (typeof SSL_MODES)[number];
  /** Trusted CA certificates (`sslrootcert`). Default: those of Node.js. */
  readonly rootFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
}

/** TLS parameters of the URL. The driver would interpret them differently. */
const TLS_PARAMETERS: readonly string[] = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey'];
/** Value of `sslrootcert` for the CA certificates of the system. */
const SYSTEM = 'system';

/** Parses the TLS parameters of a URL. A returned text is an error that completes the sentence "DATABASE_URL must …". */
function readTls(query: URLSearchParams): DatabaseTls | string {
  const parameters = new Map<string, string>();
  for (const name of TLS_PARAMETERS) {
    const values = query.getAll(name);
    if (values.length > 1) return `contain ${name} only once`;
    if (values[0] !== undefined) parameters.set(name, values[0]);
  }
  if (parameters.has('ssl') && (parameters.get('ssl') !== 'true' || parameters.has('sslmode')))
    return `use sslmode (one of ${SSL_MODES.join(', ')}) instead of ssl`;
  const sslMode = parameters.get('sslmode') ?? (parameters.has('ssl') ? 'require' : 'prefer');
  const mode = SSL_MODES.find((one) => one === sslMode);
  if (mode === undefined) return `use one of ${SSL_MODES.join(', ')} as sslmode, not ${JSON.stringify(sslMode)}`;
  const root = parameters.get('sslrootcert');
  if (mode === 'verify-ca' && (root === undefined || root === SYSTEM))
    return 'name a file of certificates as sslrootcert with sslmode=verify-ca, because anyone can get a certificate of a public authority. Alternatively, use verify-full';
  return {
    // As in libpq: a configured CA certificate implies verification.
    mode: mode === 'require' && root !== undefined ? (root === SYSTEM ? 'verify-full' : 'verify-ca') : mode,
    ...(root === undefined || root === SYSTEM ? {} : { rootFile: root }),
    ...(parameters.has('sslcert') ? { certificateFile: parameters.get('sslcert') } : {}),
    ...(parameters.has('sslkey') ? { keyFile: parameters.get('sslkey') } : {}),
  };
}
