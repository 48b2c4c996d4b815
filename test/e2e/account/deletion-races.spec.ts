import type { Response } from 'supertest';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { outcome, tally } from '../../support/api-keys.js';
import { leave, make, makeBelongings, ME, settledPerson } from '../../support/account-deletion.js';
import { until, useMailedApp } from '../../support/mailbox.js';
import { PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import type { TestClient } from '../../support/test-client.js';

describe('concurrent deletions of accounts', () => {
  const world = useMailedApp();
  let root: TestClient;
  let administrator: Person;

  beforeAll(async () => {
    ({ root, person: administrator } = await makeBelongings(world.app));
  });

  const foreseen = async (me: TestClient) => (await me.get(`${ME}/deletion`).expect(200)).body.data;
  const count = async (text: string, id: string): Promise<number> =>
    Number((await world.app.sql<{ count: string }>(`SELECT count(*) AS count FROM ${text}`, [id]))[0]!.count);
  const isThere = async ({ id }: Person): Promise<boolean> => (await count('users WHERE id = $1', id)) === 1;

  it('by 16 requests: one succeeds with one mail, and the others report an ended session', async () => {
    const { person, me } = await settledPerson(world.app);
    await make(root, 'post', { author: { id: person.id } });
    await make(root, 'invoice', { customer: { id: person.id } });
    const before = await world.app.sql(`SELECT 1 FROM users WHERE provider = 'erased'`);
    const answers = await Promise.all(Array.from({ length: 16 }, () => leave(me)));
    expect(tally(answers as Response[])).toEqual({ '200': 1, '401 token_invalid': 15 });
    expect(await world.app.sql(`SELECT 1 FROM users WHERE provider = 'erased'`)).toHaveLength(before.length + 1);
    await world.app.get(JobWorker).drain();
    await until(
      () => world.mailbox.mailsTo(person.email).some(({ subject }) => subject.includes('deleted')),
      'a goodbye',
    );
    expect(world.mailbox.mailsTo(person.email).filter(({ subject }) => subject.includes('deleted'))).toHaveLength(1);
  });

  it('leave no record that was created at the same time', async () => {
    const { person, me } = await settledPerson(world.app);
    const title = `while leaving ${person.id}`;
    const writes = Array.from({ length: 12 }, () =>
      root.post('/api/content/post', { title, author: { id: person.id } }),
    );
    const [left, ...made] = await Promise.all([leave(me), ...writes]);
    expect(left!.status).toBe(200);
    for (const answer of made) expect([201, 400]).toContain(answer.status);
    expect(await count('posts WHERE title = $1', title)).toBe(0);
  });

  it('revoke a session that starts at the same time', async () => {
    const { person, me } = await settledPerson(world.app);
    const login = () => world.app.asGuest().post('/api/auth/local/login', { login: person.email, password: PASSWORD });
    const [left, ...logins] = await Promise.all([leave(me), ...Array.from({ length: 8 }, login)]);
    expect(left!.status).toBe(200);
    for (const { status, body } of logins) {
      expect([200, 401]).toContain(status);
      if (status === 200) expect((await world.app.as((body as { token: string }).token).get(ME)).status).toBe(401);
    }
  });

  it('are rejected for a revoked session', async () => {
    const { person, token } = await signedIn(world.app);
    const other = world.app.as(await signIn(world.app, person));
    const [ended, left] = await Promise.all([other.delete('/api/auth/sessions'), leave(world.app.as(token))]);
    expect(await isThere(person)).toBe(left.status !== 200);
    // If the account is deleted first, the other session ends, too.
    expect(['200 401', '200 200', '401 200']).toContain(`${ended.status} ${left.status}`);
  });

  it('are rejected if the session is revoked while the deletion waits', async () => {
    const { person, me } = await settledPerson(world.app);
    const holder = world.app.database.createQueryRunner();
    await holder.startTransaction();
    // As a recovery of the account does.
    await holder.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [person.id]);
    await holder.query('DELETE FROM sessions WHERE user_id = $1', [person.id]);
    const left = Promise.resolve(leave(me));
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await until(async () => ((await holder.query(waiting)) as unknown[]).length > 0, 'a deletion that waits');
    await holder.commitTransaction();
    await holder.release();
    expect((await left).status).toBe(401);
    expect(await isThere(person)).toBe(true);
  });

  it('keep the last administrator, and one of all', async () => {
    const { person, token } = await signedIn(world.app, { roles: ['admin'] });
    const everybody = await world.app.sql<{ id: string }>(
      `SELECT user_id AS id FROM user_roles JOIN roles ON roles.id = role_id WHERE root AND user_id NOT IN ($1, $2)`,
      [person.id, administrator.id],
    );
    for (const { id } of everybody) await root.patch(`/api/content/users/${id}`, { activated: false }).expect(200);
    expect((await foreseen(root)).last_administrator).toBe(false);
    const answers = await Promise.all([leave(world.app.as(token)), leave(root)]);
    expect(answers.map((one) => outcome(one).join(' ')).toSorted()).toEqual(['200 ', '409 last_root_account']);
    const [winner] = answers;
    const last = winner!.status === 200 ? { person: administrator, me: root } : { person, me: world.app.as(token) };
    expect((await foreseen(last.me)).last_administrator).toBe(true);
    await make(last.me, 'post', { author: { id: last.person.id } });
    expect(outcome(await leave(last.me))).toEqual([409, 'last_root_account']);
    await last.me.get(ME).expect(200);
    expect(await count('posts WHERE author_id = $1', last.person.id)).toBe(1);
    administrator = last.person;
    root = last.me;
  });
});
