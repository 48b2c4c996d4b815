import { DatabaseUrlFault, readDatabaseUrl } from './database-url.js';

const fault = (url: string): string => {
  try {
    readDatabaseUrl(url);
    return 'none';
  } catch (error) {
    if (error instanceof DatabaseUrlFault) return error.message;
    throw error;
  }
};

describe('the database URL', () => {
  it('is unchanged with one server and no options', () => {
    for (const url of [
      'postgres://localhost/lintel',
      'postgresql://me:p%40ss@db.example:5433/lintel?application_name=x',
      'postgres://me@[::1]:5432/lintel',
      'postgres:///lintel?host=/var/run/postgresql',
      'postgres://%2Fvar%2Frun%2Fpostgresql/lintel',
    ])
      expect(readDatabaseUrl(url)).toMatchObject({ url, mustAcceptWrites: false });
  });

  it('lists its servers in order, each with its port', () => {
    const url = 'postgres://me:p%40ss@one.example:5433,two.example,[::1]:6000,%2Frun%2Fpg/lintel?application_name=x';
    expect(readDatabaseUrl(url)).toEqual({
      url: 'postgres://me:p%40ss@one.example:5433/lintel?application_name=x',
      servers: [
        { host: 'one.example', port: 5433 },
        { host: 'two.example', port: 5432 },
        { host: '::1', port: 6000 },
        { host: '/run/pg', port: 5432 },
      ],
      mustAcceptWrites: false,
      tls: { mode: 'prefer' },
    });
  });

  it.each<[string, object]>([
    ['', { mode: 'prefer' }],
    ['?sslmode=disable', { mode: 'disable' }],
    ['?sslmode=prefer&a=1', { mode: 'prefer' }],
    ['?sslmode=require', { mode: 'require' }],
    ['?ssl=true', { mode: 'require' }],
    ['?sslmode=require&sslrootcert=%2Fca.pem', { mode: 'verify-ca', rootFile: '/ca.pem' }],
    ['?sslmode=require&sslrootcert=system', { mode: 'verify-full' }],
    ['?sslmode=verify-ca&sslrootcert=ca.pem', { mode: 'verify-ca', rootFile: 'ca.pem' }],
    ['?sslmode=verify-full', { mode: 'verify-full' }],
    ['?sslmode=verify-full&sslrootcert=system', { mode: 'verify-full' }],
    [
      '?sslcert=c.pem&a=1&sslkey=k.pem&sslmode=verify-full',
      { mode: 'verify-full', certificateFile: 'c.pem', keyFile: 'k.pem' },
    ],
  ])('reads the TLS mode like libpq, and passes none to the driver: %s', (query, tls) => {
    const read = readDatabaseUrl(`postgres://one,two/db${query}`);
    expect(read.tls).toEqual(tls);
    expect(read.url).toBe(`postgres://one/db${query.includes('a=1') ? '?a=1' : ''}`);
  });

  it.each([
    ['postgres://one,two/db?target_session_attrs=read-write', 'postgres://one/db', true],
    ['postgres://one/db?target_session_attrs=any', 'postgres://one/db', false],
    ['postgres://one/db?a=1&target_session_attrs=read-write&b=2', 'postgres://one/db?a=1&b=2', true],
  ])('removes the option %s for the driver', (text, url, mustAcceptWrites) =>
    expect(readDatabaseUrl(text)).toMatchObject({ url, mustAcceptWrites }),
  );

  it.each<[string, RegExp]>([
    ['mysql://me:sesame@localhost/x', /^be an address of the form/],
    ['postgres//me:sesame@localhost', /^be an address of the form/],
    ['localhost', /^be an address of the form/],
    ['postgres://me:sesame@one:99999,two/x', /^have a port from 1 to 65535 for each host, not "99999"$/],
    ['postgres://me:sesame@one:0/x', /not "0"$/],
    ['postgres://me:sesame@one:x,two/x', /not "x"$/],
    ['postgres://me:sesame@one,,two/x', /^contain a host before each comma/],
    ['postgres://me:sesame@one,/x', /^contain a host/],
    ['postgres://me:sesame@/x?target_session_attrs=read-write', /^contain a host/],
    ['postgres://me:sesame@one,two/x?target_session_attrs=primary', /^have one target_session_attrs/],
    ['postgres://one/x?target_session_attrs=any&target_session_attrs=read-write', /^have one target_session_attrs/],
    ['postgres://me:sesame%@one/x', /parts as %40/],
    ['postgres://me:sesame@one/x?sslmode=no-verify', /^use one of disable, .* as sslmode, not "no-verify"$/],
    ['postgres://me:sesame@one/x?sslmode=', /^use one of disable, .* as sslmode/],
    ['postgres://me:sesame@one/x?sslmode=require&sslmode=disable', /^contain sslmode only once$/],
    ['postgres://me:sesame@one/x?ssl=no', /^use sslmode \(one of disable, .*\) instead of ssl$/],
    ['postgres://me:sesame@one/x?ssl=true&sslmode=require', /instead of ssl$/],
    [
      'postgres://me:sesame@one/x?sslmode=verify-ca',
      /^name a file of certificates as sslrootcert with sslmode=verify-ca/,
    ],
  ])('is rejected in one message without secrets: %s', (url, message) => {
    expect(fault(url)).toMatch(message);
    expect(fault(url)).not.toMatch(/sesame|\n/);
  });
});
