import { createPerson, signedIn, signIn } from '../../support/people.js';
import { personWith } from '../../support/content-fixture.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const ME = '/api/auth/me';

describe('DELETE /api/content/sessions/{id}', () => {
  const world = useTestApp({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  const sessionOf = async (userId: string): Promise<string> =>
    (await world.app.sql<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [userId]))[0]!.id;
  const may = { resource: 'content.session.delete', value: 'allow' };

  it('revokes the session with its refresh token immediately on every instance', async () => {
    const other: TestApp = await world.app.secondInstance({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
    try {
      const person = await createPerson(world.app);
      const login = { login: person.email, password: person.password };
      const { body } = await world.app.asGuest().post('/api/auth/local/login', login).expect(200);
      await other.as(body.token).get(ME).expect(200);
      const { client, id: actor } = await personWith(world.app, [may]);
      const session = await sessionOf(person.id);
      expect((await client.delete(`/api/content/sessions/${session}`).expect(200)).body).toEqual({ data: true });
      await world.app.as(body.token).get(ME).expect(401);
      const until = Date.now() + 5_000;
      while ((await other.as(body.token).get(ME)).status !== 401) expect(Date.now()).toBeLessThan(until);
      await world.app.asGuest().post('/api/auth/token/refresh', { refresh_token: body.refresh_token }).expect(401);
      const events = await world.app.sql(
        `SELECT actor, action, changes FROM audit_events WHERE resource = $1 ORDER BY at, id`,
        [`session:${session}`],
      );
      expect(events).toHaveLength(3);
      expect(events).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ action: 'session.begin' }),
          expect.objectContaining({
            action: 'session.end',
            actor: `account:${actor}`,
            changes: { reason: { after: 'revoked' }, user: { after: person.id } },
          }),
          expect.objectContaining({ action: 'record.delete', actor: `account:${actor}` }),
        ]),
      );
    } finally {
      await other.stop();
    }
  });

  it('needs the permission, and succeeds once for 16 requests', async () => {
    const { person } = await signedIn(world.app);
    const session = await sessionOf(person.id);
    const { token } = await signedIn(world.app);
    await world.app.as(token).delete(`/api/content/sessions/${session}`).expect(403);
    await world.app.asGuest().delete(`/api/content/sessions/${session}`).expect(401);
    const { client } = await personWith(world.app, [may]);
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => client.delete(`/api/content/sessions/${session}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(15);
  });

  it('applies a rule of the permission', async () => {
    const { person } = await signedIn(world.app);
    const { client } = await personWith(world.app, [{ ...may, value: 'record.provider == "acme"' }]);
    await client.delete(`/api/content/sessions/${await sessionOf(person.id)}`).expect(404);
    expect(await sessionOf(person.id)).toBeDefined();
  });

  it('leaves the sessions of an administrator to administrators: singly, in lists and in batches', async () => {
    const root = await signedIn(world.app, { roles: ['admin'] });
    const session = await sessionOf(root.person.id);
    const { client } = await personWith(world.app, [may, { resource: 'content.session.list', value: 'allow' }]);
    expect((await client.delete(`/api/content/sessions/${session}`)).status).toBe(403);
    const filter = encodeURIComponent(JSON.stringify({ id: session }));
    expect((await client.delete(`/api/content/sessions?filter=${filter}`)).status).toBe(403);
    const operations = [{ op: 'delete', schema: 'session', id: session }];
    expect((await client.post('/api/batch', { operations })).status).toBe(403);
    await world.app.as(root.token).get(ME).expect(200);
    const other = await signedIn(world.app, { roles: ['admin'] });
    await world.app.as(other.token).delete(`/api/content/sessions/${session}`).expect(200);
    await world.app.as(root.token).get(ME).expect(401);
  });

  it('cannot create or change sessions', async () => {
    const { person } = await signedIn(world.app);
    const session = await sessionOf(person.id);
    const { client } = await personWith(world.app, [{ resource: 'content.session.*', value: 'allow' }]);
    await client.post('/api/content/sessions', { provider: 'local', user: person.id }).expect(403);
    await client.patch(`/api/content/sessions/${session}`, { provider: 'acme' }).expect(403);
    await client.put(`/api/content/sessions/${session}`, { provider: 'acme' }).expect(403);
  });

  it('does not prevent their deletion with the account', async () => {
    const root = await signedIn(world.app, { roles: ['admin'] });
    const { person, token } = await signedIn(world.app);
    await signIn(world.app, person);
    await world.app.as(root.token).delete(`/api/content/users/${person.id}`).expect(200);
    await world.app.as(token).get(ME).expect(401);
    expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
  });

  it('is documented for permitted callers', async () => {
    const { client } = await personWith(world.app, [may]);
    const { body } = await client.get('/api/openapi.json').expect(200);
    const paths = (body as { paths: Record<string, Record<string, unknown>> }).paths;
    expect(Object.keys(paths['/api/content/sessions/{id}'] ?? {})).toContain('delete');
  });
});
