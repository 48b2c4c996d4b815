import { makeKey, makeServiceKey, outcome } from '../../support/api-keys.js';
import { PASSWORD, signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const KEYS = '/api/auth/keys';
const USERS = '/api/content/users?limit=1';

describe('an API key bound to addresses', () => {
  const world = useTestApp({ env: { TRUST_PROXY: '1' } });
  let token: string;
  const from = (address: string, key: string) => world.app.as(key).get(USERS).set('x-forwarded-for', address);

  beforeAll(async () => {
    ({ token } = await signedIn(world.app, { roles: ['admin'] }));
  });

  it.each([
    ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7'], ['192.0.2.8', '::1', '2001:db8::7']],
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255'], ['11.0.0.0', '9.255.255.255', '::10.0.0.1']],
    ['2001:db8::/32', ['2001:db8::1', '2001:DB8:ffff::'], ['2001:db9::', '32.1.13.184', '::ffff:32.1.13.184']],
    ['2001:db8:0:0::7/128', ['2001:db8::7'], ['2001:db8::8']],
    ['0.0.0.0/0', ['198.51.100.1'], ['2001:db8::7']],
  ])('works from %s, in every notation, and from nowhere else', async (range, good, bad) => {
    const { key } = await makeKey(world.app, token, { addresses: [range] });
    for (const address of good) expect([address, (await from(address, key)).status]).toEqual([address, 200]);
    for (const address of bad)
      expect([address, ...outcome(await from(address, key))]).toEqual([address, 403, 'key_address_refused']);
  });

  it('is not accepted by client headers beside the proxy, nor by an invalid address', async () => {
    const { key } = await makeKey(world.app, token, { addresses: ['192.0.2.7'] });
    const attempts: Record<string, string>[] = [
      { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' },
      { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '192.0.2.7', forwarded: 'for=192.0.2.7' },
      { 'x-forwarded-for': '198.51.100.1', 'x-client-ip': '192.0.2.7', 'cf-connecting-ip': '192.0.2.7' },
      { 'x-forwarded-for': '192.0.2.7:http' },
      { 'x-forwarded-for': '192.0.2.07' },
      { 'x-forwarded-for': '192.0.519' },
      { 'x-forwarded-for': '3221225991' },
      { 'x-forwarded-for': '192.0.2.7/32' },
      { 'x-forwarded-for': 'unknown' },
      {},
    ];
    for (const headers of attempts)
      expect([headers, ...outcome(await world.app.as(key).get(USERS).set(headers))]).toEqual([
        headers,
        403,
        'key_address_refused',
      ]);
    expect(await world.app.sql('SELECT last_used_at FROM api_keys WHERE prefix = $1', [key.slice(0, 12)])).toEqual([
      { last_used_at: null },
    ]);
  });

  it.each([
    ['1', 'x-forwarded-for'],
    ['127.0.0.0/8', 'x-forwarded-for'],
    ['azure', 'x-forwarded-for'],
    ['aws-alb', 'x-forwarded-for'],
    ['cloudflare', 'cf-connecting-ip'],
  ])('works from its network where TRUST_PROXY is %s', async (trust, header) => {
    const { key } = await makeKey(world.app, token, { addresses: ['192.0.2.0/24', '2001:db8::/32', '10.1.0.0/16'] });
    const behind = await world.app.secondInstance({ env: { TRUST_PROXY: trust } });
    const statusFrom = async (address: string) => (await behind.as(key).get(USERS).set(header, address)).status;
    try {
      for (const address of [
        '192.0.2.7',
        '192.0.2.7:50000',
        '::ffff:192.0.2.7',
        '[2001:db8::7]:50000',
        '10.1.2.3:50000',
      ])
        expect([address, await statusFrom(address)]).toEqual([address, 200]);
      for (const address of ['192.0.3.7:50000', '[2001:db9::7]:50000', '10.2.0.1', 'unknown'])
        expect([address, await statusFrom(address)]).toEqual([address, 403]);
    } finally {
      await behind.stop();
    }
  });

  it('is rejected where no proxy is configured, whatever the headers', async () => {
    const { key } = await makeKey(world.app, token, { addresses: ['192.0.2.7'] });
    const direct = await world.app.secondInstance();
    try {
      const request = direct.as(key).get(USERS).set('x-forwarded-for', '192.0.2.7');
      expect(outcome(await request)).toEqual([403, 'key_address_refused']);
    } finally {
      await direct.stop();
    }
  });

  it('keeps its addresses on rotation; they are returned in canonical notation, each once', async () => {
    const addresses = ['2001:DB8:0::/48', '2001:db8::/48', '192.0.2.7/32'];
    const made = await world.app.as(token).post(KEYS, { name: 'x', addresses, current_password: PASSWORD }).expect(201);
    const { id, addresses: returned } = (made.body as { data: { id: string; addresses: string[] } }).data;
    expect(returned).toEqual(['2001:db8::/48', '192.0.2.7']);
    const { body } = await world.app.as(token).post(`${KEYS}/${id}/rotate`, { current_password: PASSWORD }).expect(201);
    const { key, addresses: next } = (body as { data: { key: string; addresses: string[] } }).data;
    expect(next).toEqual(returned);
    expect(outcome(await from('198.51.100.1', key))).toEqual([403, 'key_address_refused']);
    await from('192.0.2.7', key).expect(200);
  });

  it('is not valid for another service, which cannot report the client address', async () => {
    const asking = await makeServiceKey(world.app, token, ['admin']);
    const introspect = async (body: object) =>
      (
        await world.app
          .as(asking.key)
          .post('/api/auth/introspect', { token: (await makeKey(world.app, token, body)).key })
          .expect(200)
      ).body as unknown;
    expect(await introspect({})).toMatchObject({ active: true });
    expect(await introspect({ addresses: ['0.0.0.0/0', '::/0'] })).toEqual({ active: false });
  });

  it.each([
    ['addresses.0', ['localhost']],
    ['addresses.0', ['']],
    ['addresses.0', [' 192.0.2.7']],
    ['addresses.0', ['192.0.2.7/33']],
    ['addresses.0', ['192.0.2.7/24']],
    ['addresses.0', ['192.0.2']],
    ['addresses.0', ['192.0.2.0/']],
    ['addresses.0', ['0xc0.0.2.7']],
    ['addresses.0', ['192.0.2.07']],
    ['addresses.0', ['3221225991']],
    ['addresses.0', ['::ffff:192.0.2.7']],
    ['addresses.0', ['fe80::1%eth0']],
    ['addresses.0', ['2001:db8::1/32']],
    ['addresses.0', ['2001:db8::/129']],
    ['addresses.1', ['192.0.2.7', '*']],
    ['addresses', []],
    ['addresses', '192.0.2.7'],
    ['addresses', [7]],
    ['addresses', [null]],
    ['addresses', Array.from({ length: 21 }, (_, at) => `192.0.2.${at}`)],
    ['addresses', ['1'.repeat(51)]],
  ])('is not created if %s is %j', async (field, addresses) => {
    const answer = await world.app.as(token).post(KEYS, { name: 'a bad one', addresses }).expect(422);
    expect(answer.body).toMatchObject({ data: { error: 'validation_failed', errors: [{ field }] } });
    expect(await world.app.sql(`SELECT 1 FROM api_keys WHERE name = 'a bad one'`)).toEqual([]);
  });
});
