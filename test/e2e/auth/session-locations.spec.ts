import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAppConfig } from '../../../src/app.module.js';
import { TEST_ENVIRONMENT } from '../../../src/testing/start-app.js';
import { addressDatabase } from '../../support/address-database.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const SESSIONS = '/api/auth/sessions';
const FOLDER = mkdtempSync(join(tmpdir(), 'places-'));
const FILE = join(FOLDER, 'places.mmdb');
const MILAN = { city: { names: { en: 'Milan', de: 'Mailand' } }, country: { iso_code: 'IT' } };

writeFileSync(
  FILE,
  addressDatabase({
    '192.0.2.0/25': MILAN,
    '192.0.2.128/25': { country: { iso_code: 'FR' } },
    '198.51.100.0/24': { city: { names: { en: 'Springfield' } } },
    '203.0.113.0/24': { traits: { user_count: 3 } },
    '2001:db8:1::/48': MILAN,
  }),
);

interface Listed {
  readonly id: string;
  readonly address: string;
  readonly place: unknown;
  readonly same_network: boolean;
}

/** Signs in a user from each address, and lists the sessions from the address of `asker`. */
async function listedFrom(app: TestApp, from: readonly string[], asker: string, language = 'en'): Promise<Listed[]> {
  const person = await createPerson(app);
  let token = '';
  for (const address of from) {
    const login = app.asGuest().post('/api/auth/local/login', { login: person.email, password: PASSWORD });
    token = ((await login.set('x-forwarded-for', address).expect(200)).body as { token: string }).token;
  }
  const request = app.as(token).get(SESSIONS).set({ 'x-forwarded-for': asker, 'accept-language': language });
  return ((await request.expect(200)).body as { data: Listed[] }).data;
}

afterAll(() => rmSync(FOLDER, { recursive: true }));

describe('the location of a session, with a GeoIP database', () => {
  const world = useTestApp({ env: { GEOIP_FILE: FILE, TRUST_PROXY: '1' } });
  const placeOf = async (address: string, language?: string) => {
    const [session] = await listedFrom(world.app, [address], address, language);
    return session?.place;
  };

  it.each<[string, string, unknown]>([
    ['192.0.2.7', 'en', { city: 'Milan', country: 'IT' }],
    ['192.0.2.7', 'de-AT', { city: 'Mailand', country: 'IT' }],
    ['192.0.2.7', 'fr', { city: 'Milan', country: 'IT' }],
    ['::ffff:192.0.2.7', 'en', { city: 'Milan', country: 'IT' }],
    ['2001:db8:1:2::7', 'de', { city: 'Mailand', country: 'IT' }],
    ['192.0.2.200', 'en', { city: null, country: 'FR' }],
    ['198.51.100.1', 'de', { city: 'Springfield', country: null }],
    ['203.0.113.1', 'en', null],
    ['10.0.0.1', 'en', null],
    ['2001:db8:2::1', 'en', null],
    ['127.0.0.1', 'en', null],
  ])('of %s, requested in %s, is %j', async (address, language, place) => {
    expect(await placeOf(address, language)).toEqual(place);
  });

  it('is part of the data export, in the available languages', async () => {
    const person = await createPerson(world.app);
    const login = world.app.asGuest().post('/api/auth/local/login', { login: person.email, password: PASSWORD });
    const { token } = (await login.set('x-forwarded-for', '192.0.2.7').expect(200)).body as { token: string };
    const { body } = await world.app.as(token).get('/api/auth/me/export').expect(200);
    expect(body.sessions).toMatchObject([{ address: '192.0.2.7', place: { city: 'Milan', country: 'IT' } }]);
    expect(body.sessions[0]).not.toHaveProperty('same_network');
  });
});

describe('the location of a session, without one', () => {
  const world = useTestApp({ env: { TRUST_PROXY: '1' } });

  it('is whether it is in the network of the caller', async () => {
    const from = ['192.0.2.7', '192.0.2.8', '2001:db8:1:2::7', '2001:db8:1:3::7'];
    const here = async (asker: string) =>
      (await listedFrom(world.app, from, asker)).filter(({ same_network: same }) => same).map(({ address }) => address);
    expect(await here('192.0.2.7')).toEqual(['192.0.2.7']);
    expect(await here('::ffff:192.0.2.8')).toEqual(['192.0.2.8']);
    expect(await here('2001:db8:1:2:ffff::1')).toEqual(['2001:db8:1:2::7']);
    expect(await here('198.51.100.1')).toEqual([]);
    const all = await listedFrom(world.app, from, '192.0.2.7');
    expect(all.map(({ place }) => place)).toEqual([null, null, null, null]);
  });
});

describe('the address of a client', () => {
  const world = useTestApp({ env: { TRUST_PROXY: '1', LOG_LEVEL: 'debug' } });

  it.each([
    ['192.0.2.7:50000', '192.0.2.7'],
    ['::FFFF:192.0.2.8', '192.0.2.8'],
    ['[2001:DB8:0:0::7]:443', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('sent as %s is %s in sessions, audit log and log', async (sent, address) => {
    const [session] = await listedFrom(world.app, [sent], sent);
    expect(session).toMatchObject({ address, same_network: true });
    const [event] = await world.app.sql('SELECT address FROM audit_events WHERE resource = $1', [
      `session:${session!.id}`,
    ]);
    expect(event).toEqual({ address });
    const lines = world.app.log.filter((line) => line.includes('/api/auth/local/login'));
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ address });
  });
});

describe('GEOIP_FILE', () => {
  it('stops the start if it is invalid', () => {
    const junk = join(FOLDER, 'junk.mmdb');
    writeFileSync(junk, 'a text');
    const fault = 'GEOIP_FILE must name a location database in the MaxMind format';
    for (const file of [junk, join(FOLDER, 'nothing'), FOLDER])
      expect(() => parseAppConfig({ ...TEST_ENVIRONMENT, GEOIP_FILE: file })).toThrow(fault);
    expect(parseAppConfig({ ...TEST_ENVIRONMENT, GEOIP_FILE: FILE }).auth.geoIpFile).toBe(FILE);
  });
});
