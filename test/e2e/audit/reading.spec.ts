import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

interface Page {
  readonly items: readonly {
    readonly id: string;
    readonly at: string;
    readonly actor: string;
    readonly action: string;
    readonly resource: string;
    readonly outcome: string;
    readonly changes: object;
  }[];
  readonly next_cursor: string | null;
}

describe('GET /api/audit', () => {
  const world = useTestApp();
  let reader: TestClient;
  let readerId: string;
  const read = async (query: string | Record<string, string> = {}): Promise<Page> => {
    const parameters = new URLSearchParams(query).toString();
    const answer = await reader.get(`/api/audit?${parameters}`).expect(200);
    return (answer.body as { data: Page }).data;
  };

  beforeAll(async () => {
    const made = await personWith(world.app, [{ resource: 'audit.list', value: 'allow' }]);
    [reader, readerId] = [made.client, made.id];
  });

  it('needs the permission audit.list', async () => {
    await world.app.asGuest().get('/api/audit').expect(401);
    const { token } = await signedIn(world.app);
    const { body } = await world.app.as(token).get('/api/audit').expect(403);
    expect(body.data.error).toBe('permission_denied');
  });

  it('lists the actions that the log can contain, with their meanings', async () => {
    await world.app.asGuest().get('/api/audit/actions').expect(401);
    const { token } = await signedIn(world.app);
    await world.app.as(token).get('/api/audit/actions').expect(403);
    const { body } = await reader.get('/api/audit/actions').expect(200);
    const actions = body.data as readonly { name: string; description: string }[];
    const names = actions.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toEqual(expect.arrayContaining(['account.create', 'audit.read', 'session.begin']));
    expect(actions.every(({ description }) => /^[A-Z].*\.$|:/.test(description))).toBe(true);
    const { items } = await read();
    expect(items.filter(({ action }) => !names.includes(action))).toEqual([]);
  });

  it('returns events in the documented form, newest first', async () => {
    const { person } = await signedIn(world.app);
    const { items } = await read({ actor: `account:${person.id}`, action: 'session.begin' });
    expect(items).toEqual([
      {
        id: expect.any(String),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        actor: `account:${person.id}`,
        action: 'session.begin',
        resource: expect.stringMatching(/^session:/),
        outcome: 'success',
        address: expect.any(String),
        request_id: expect.any(String),
        key_id: null,
        changes: { provider: { after: 'local' } },
      },
    ]);
    const all = (await read()).items.map(({ at, id }) => `${at} ${id}`);
    expect(all).toEqual([...all].sort().reverse());
  });

  it('filters by kind or action, outcome, and time', async () => {
    const from = world.app.clock.now().toISOString();
    const login = { login: 'nobody.there', password: 'wrong walnut 47' };
    await world.app.asGuest().post('/api/auth/local/login', login).expect(401);
    expect((await read({ outcome: 'invalid_credentials' })).items).toMatchObject([
      { actor: 'guest', resource: 'user' },
    ]);
    expect((await read({ actor: 'account' })).items.every(({ actor }) => actor.startsWith('account:'))).toBe(true);
    const sessions = (await read({ resource: 'session' })).items;
    expect(sessions.length).toBeGreaterThan(0);
    expect((await read({ resource: sessions[0]!.resource })).items).toHaveLength(1);
    expect((await read({ resource: 'sess' })).items).toEqual([]);
    expect((await read({ resource: 'user' })).items.some(({ resource }) => resource === 'user')).toBe(true);
    const since = (await read({ since: from, action: 'session.begin' })).items;
    expect(since.map(({ outcome }) => outcome)).toEqual(['invalid_credentials']);
    expect((await read({ until: from, outcome: 'invalid_credentials' })).items).toEqual([]);
  });

  it('pages through all events by cursor, each once, during writes', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => signedIn(world.app)));
    const everything = (await read({ limit: '200', until: world.app.clock.now().toISOString() })).items.map(
      ({ id }) => id,
    );
    const until = world.app.clock.now().toISOString();
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await read({ limit: '3', until, ...(cursor === '' ? {} : { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(3);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
      await signedIn(world.app);
    }
    expect(people).toHaveLength(5);
    expect(new Set(seen).size).toBe(seen.length);
    expect(everything.every((id) => seen.includes(id))).toBe(true);
  });

  it('audits that it was read, with the filter', async () => {
    await read({ actor: 'account', limit: '7' });
    const { items } = await read({ action: 'audit.read', limit: '1' });
    expect(items).toMatchObject([
      {
        actor: `account:${readerId}`,
        resource: 'audit',
        changes: { actor: { after: 'account' }, limit: { after: '7' } },
      },
    ]);
  });

  it.each([
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '1e2'],
    ['limit', '-1'],
    ['since', 'yesterday'],
    ['since', '2026-13-01'],
    ['until', '2026-01-01T00:00:00'],
    ['until', "2026-01-01T00:00:00Z'; DROP TABLE audit_events"],
    ['cursor', 'x'],
    ['cursor', Buffer.from('99999999999999999 01900000-0000-7000-8000-000000000001').toString('base64url')],
    ['cursor', Buffer.from(`1 01900000-0000-7000-8000-000000000001' OR 1`).toString('base64url')],
    ['actor', ''],
    ['actor', 'x'.repeat(301)],
    ['resource', 'a\u0000b'],
    ['action', '\ud800'],
  ])('rejects %s=%j, and names it', async (name, value) => {
    const { body } = await reader.get(`/api/audit?${new URLSearchParams({ [name]: value }).toString()}`);
    if (value === '\ud800') return expect(body.data.items).toEqual([]);
    expect(body.data).toMatchObject({ error: 'validation_failed', errors: [{ field: name }] });
  });

  it('rejects a repeated parameter without a server error', async () => {
    for (const name of ['actor', 'action', 'resource', 'outcome', 'since', 'until', 'cursor', 'limit']) {
      expect((await reader.get(`/api/audit?${name}=1&${name}=2`)).status).toBe(422);
      for (const value of ['%', "'", '"', '\\', ';', ':', '::', '{}', '$1', '__proto__'])
        expect((await reader.get(`/api/audit?${name}=${encodeURIComponent(value)}`)).status).toBeLessThan(500);
    }
  });

  it('treats % and _ and quotes as text', async () => {
    for (const actor of ['%', '_ccount', "account' OR 'a'='a", 'account:%'])
      expect([actor, (await read({ actor })).items]).toEqual([actor, []]);
  });
});
