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

describe('the address of a database', () => {
  it('stays what it is with one server and no wish', () => {
    for (const url of [
      'postgres://localhost/lintel',
      'postgresql://me:p%40ss@db.example:5433/lintel?sslmode=require',
      'postgres://me@[::1]:5432/lintel',
      'postgres:///lintel?host=/var/run/postgresql',
      'postgres://%2Fvar%2Frun%2Fpostgresql/lintel',
    ])
      expect(readDatabaseUrl(url)).toMatchObject({ url, mustAcceptWrites: false });
  });

  it('names its servers in order, each with its port', () => {
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
    });
  });

  it.each([
    ['postgres://one,two/db?target_session_attrs=read-write', 'postgres://one/db', true],
    ['postgres://one/db?target_session_attrs=any', 'postgres://one/db', false],
    ['postgres://one/db?a=1&target_session_attrs=read-write&b=2', 'postgres://one/db?a=1&b=2', true],
  ])('takes the wish of %s out for the driver', (text, url, mustAcceptWrites) =>
    expect(readDatabaseUrl(text)).toMatchObject({ url, mustAcceptWrites }),
  );

  it.each<[string, RegExp]>([
    ['mysql://me:sesame@localhost/x', /^be an address of the form/],
    ['postgres//me:sesame@localhost', /^be an address of the form/],
    ['localhost', /^be an address of the form/],
    ['postgres://me:sesame@one:99999,two/x', /^have a port from 1 to 65535 for each host, and "99999" is none$/],
    ['postgres://me:sesame@one:0/x', /"0" is none/],
    ['postgres://me:sesame@one:x,two/x', /"x" is none/],
    ['postgres://me:sesame@one,,two/x', /^name a host before each comma/],
    ['postgres://me:sesame@one,/x', /^name a host/],
    ['postgres://me:sesame@/x?target_session_attrs=read-write', /^name a host/],
    ['postgres://me:sesame@one,two/x?target_session_attrs=primary', /^have one target_session_attrs/],
    ['postgres://one/x?target_session_attrs=any&target_session_attrs=read-write', /^have one target_session_attrs/],
    ['postgres://me:sesame%@one/x', /written as %40/],
  ])('is refused in one sentence that repeats no secret: %s', (url, sentence) => {
    expect(fault(url)).toMatch(sentence);
    expect(fault(url)).not.toMatch(/sesame|\n/);
  });
});
