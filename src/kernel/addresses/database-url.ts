import { type DatabaseTls, readTls, TLS_PARAMETERS } from './database-tls.js';

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
    throw new DatabaseUrlFault(`have one ${ATTRIBUTE}, which is read-write or any`);
  const credentials = userInfo === undefined ? '' : `${userInfo}@`;
  const named = hosts.split(',');
  const mustAcceptWrites = attributes[0] === 'read-write';
  const servers = hosts === '' && !mustAcceptWrites ? [] : named.map(readServer);
  const url = `${scheme}${credentials}${named[0]}${path}${withoutTaken(query)}`;
  if (!isReadable(url))
    throw new DatabaseUrlFault('have @ : / ? # and % in its parts written as %40 %3A %2F %3F %23 %25');
  return { url, servers, mustAcceptWrites, tls };
}

function readServer(text: string): DatabaseServer {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || host === '') throw new DatabaseUrlFault('name a host before each comma and after the last');
  const number = port === undefined ? DEFAULT_PORT : /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535)
    throw new DatabaseUrlFault(`have a port from 1 to 65535 for each host, and ${JSON.stringify(port)} is none`);
  return { host: decoded(host), port: number };
}

function withoutTaken(query: string): string {
  const rest = query
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && ![ATTRIBUTE, ...TLS_PARAMETERS].includes(part.split('=')[0] ?? ''));
  return rest.length === 0 ? '' : `?${rest.join('&')}`;
}

function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return URL.canParse(url);
  } catch {
    return false;
  }
}

function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}
