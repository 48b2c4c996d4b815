import { Injectable, Module } from '@nestjs/common';
import { AfterWrite, BeforeWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import type { AfterWriteEvent, BeforeWriteEvent } from '../../../src/identity/records/record-event.types.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { outcome } from '../../support/api-keys.js';
import { CookieJar, STAYS } from '../../support/browser-session.js';
import { leave, make, makeBelongings, ME, settledPerson } from '../../support/account-deletion.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, type Person, signedIn } from '../../support/people.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { UsersService } from '../../../src/identity/users/users.service.js';
import type { TestClient } from '../../support/test-client.js';

const NAMELESS = `SELECT u.* FROM users u WHERE provider = 'erased' AND id = $1`;

/** Events that the hooks received, as `kind operation schema title`. */
const hookEvents: string[] = [];

@Injectable()
class Listener {
  @AfterWrite('diary', { on: ['delete'] })
  @AfterWrite('letter', { on: ['update'] })
  hear({ operation, schema: name, before, principal }: AfterWriteEvent): void {
    hookEvents.push(`${principal.kind} ${operation} ${name} ${String(before?.['title'])}`);
  }

  @BeforeWrite('diary', { on: ['delete'] })
  refuse({ before }: BeforeWriteEvent): void {
    if (before?.['title'] === 'sealed') throw new AppError('permission_denied');
  }
}

@Module({ providers: [Listener] })
class ListenerModule {}

describe('DELETE /api/auth/me', () => {
  const world = useMailedApp({ modules: [ListenerModule] });
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeBelongings(world.app));
  });
  beforeEach(() => void hookEvents.splice(0));

  const foreseen = async (me: TestClient) => (await me.get(`${ME}/deletion`).expect(200)).body.data;
  const count = async (text: string, id: string): Promise<number> =>
    Number((await world.app.sql<{ count: string }>(`SELECT count(*) AS count FROM ${text}`, [id]))[0]!.count);
  const isThere = async ({ id }: Person): Promise<boolean> => (await count('users WHERE id = $1', id)) === 1;

  it('handles records as their relations define, deleted ones too, as announced', async () => {
    const { person, me } = await settledPerson(world.app);
    const own = { id: person.id };
    const posts = [await make(root, 'post', { author: own }), await make(root, 'post', { author: own })];
    await root.delete(`/api/content/post/${posts[1]}`).expect(200);
    const others = await make(root, 'comment', { post: { id: posts[0] }, title: 'of another account' });
    const comment = await make(root, 'comment', { writer: own });
    const invoice = await make(root, 'invoice', { customer: own });
    const [vote, seat] = [await make(root, 'vote', { voter: own }), await make(root, 'seat', { holder: own })];
    const [club, crew] = [await make(root, 'club', { members: [own] }), await make(root, 'crew', { hands: [own] })];
    expect(await foreseen(me)).toEqual({
      records: [
        { schema: 'club', field: 'members', action: 'anonymise', count: 1 },
        { schema: 'comment', field: 'writer', action: 'anonymise', count: 1 },
        { schema: 'crew', field: 'hands', action: 'keep', count: 1 },
        { schema: 'invoice', field: 'customer', action: 'keep', count: 1 },
        { schema: 'post', field: 'author', action: 'delete', count: 2 },
        { schema: 'seat', field: 'holder', action: 'keep', count: 1 },
        { schema: 'vote', field: 'voter', action: 'keep', count: 1 },
      ],
      along: [{ schema: 'comment', count: 1 }],
      blocked_by: [],
      proof: 'password',
      last_administrator: false,
    });
    expect(await isThere(person)).toBe(true);
    expect(outcome(await leave(me))).toEqual([200, undefined]);
    expect(await isThere(person)).toBe(false);
    for (const id of posts) expect(await count('posts WHERE id = $1', id)).toBe(0);
    expect(await count('comments WHERE id = $1', others)).toBe(0);
    const linked = async (name: string, id: string, by: string) =>
      (await root.get(`/api/content/${name}/${id}?select=id,${by}.id,${by}.email,${by}.provider`).expect(200)).body
        .data[by];
    expect(await linked('comment', comment, 'writer')).toBeNull();
    expect(await linked('club', club, 'members')).toEqual([]);
    const nameless = await linked('invoice', invoice, 'customer');
    expect(nameless).toEqual({ id: expect.any(String), email: expect.stringMatching(/^erased-/), provider: 'erased' });
    expect(nameless.id).not.toBe(person.id);
    expect([await linked('vote', vote, 'voter'), await linked('seat', seat, 'holder')]).toEqual([nameless, nameless]);
    expect(await linked('crew', crew, 'hands')).toEqual([nameless]);
  });

  it('removes all personal data from an account that remains because of references', async () => {
    const { person, me } = await settledPerson(world.app, {
      username: 'left.behind',
      firstName: 'Ann',
      lastName: 'Walnut',
    });
    const invoice = await make(root, 'invoice', { customer: { id: person.id } });
    expect(outcome(await leave(me))).toEqual([200, undefined]);
    const [{ customer_id: id }] = (await world.app.sql<{ customer_id: string }>(
      'SELECT customer_id FROM invoices WHERE id = $1',
      [invoice],
    )) as [{ customer_id: string }];
    const [row] = await world.app.sql(NAMELESS, [id]);
    expect(row).toMatchObject({
      username: null,
      username_key: null,
      first_name: null,
      last_name: null,
      password_hash: null,
      email_verified_at: null,
      activated: false,
    });
    const text = JSON.stringify(row);
    for (const known of [person.id, person.email, 'left.behind', 'Ann', 'Walnut']) expect(text).not.toContain(known);
    expect(await count('user_roles WHERE user_id = $1', id)).toBe(0);
    const login = String(row!['email']);
    expect(outcome(await world.app.asGuest().post('/api/auth/local/login', { login, password: PASSWORD }))).toEqual([
      401,
      'invalid_credentials',
    ]);
    expect(outcome(await world.app.asGuest().post('/api/auth/local/recover', { email: login }))[0]).toBe(422);
  });

  it('revokes all credentials, withdraws pending mails, and sends a farewell', async () => {
    const { person, token, elsewhere, key, me } = await settledPerson(world.app, { roles: ['admin'] });
    world.mailbox.behave('defer-recipient');
    await world.app.asGuest().post('/api/auth/local/recover', { email: person.email }).expect(200);
    await world.app.get(JobWorker).drain();
    await world.app.sql(
      `INSERT INTO identities (id, user_id, provider, issuer, subject, email, email_verified, created_at, last_used_at)
       VALUES (gen_random_uuid(), $1, 'google', 'https://accounts.example', $2, NULL, false, now(), now())`,
      [person.id, person.id],
    );
    world.mailbox.behave('accept');
    const before = world.mailbox.mailsTo(person.email).length;
    expect(outcome(await leave(me))).toEqual([200, undefined]);
    for (const one of [token, elsewhere])
      expect(outcome(await world.app.as(one).get(ME))).toEqual([401, 'token_invalid']);
    expect(outcome(await world.app.as(key).get('/api/content/users'))).toEqual([401, 'key_invalid']);
    for (const table of ['sessions', 'api_keys', 'identities', 'one_time_secrets', 'email_reservations', 'user_roles'])
      expect([table, await count(`${table} WHERE user_id = $1`, person.id)]).toEqual([table, 0]);
    await world.app.get(JobWorker).drain();
    await world.mailbox.waitFor(person.email, before + 1);
    world.app.clock.advance(7_200);
    await world.app.get(JobWorker).drain();
    const mails = world.mailbox.mailsTo(person.email).slice(before);
    expect(mails.map(({ subject }) => subject)).toEqual(['Your account at Lintel is deleted']);
    const again = { email: person.email, password: PASSWORD, password_confirmation: PASSWORD };
    expect((await world.app.asGuest().post('/api/auth/local/register', again)).status).toBe(201);
  });

  it.each<[string, string | null, [number, string]]>([
    ['no password', null, [422, 'validation_failed']],
    ['an empty one', '', [422, 'validation_failed']],
    ['a wrong one', 'wrong walnut 47', [401, 'invalid_credentials']],
  ])('rejects %s, and changes nothing', async (_what, password, refusal) => {
    const { person, token } = await signedIn(world.app);
    expect(outcome(await leave(world.app.as(token), password))).toEqual(refusal);
    await world.app.as(token).get(ME).expect(200);
    expect(await isThere(person)).toBe(true);
  });

  it('needs a recent sign-in without a password', async () => {
    const { person, token } = await signedIn(world.app);
    await world.app.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [person.id]);
    world.app.clock.advance(601);
    expect((await foreseen(world.app.as(token))).proof).toBe('sign_in');
    expect(outcome(await leave(world.app.as(token), null))).toEqual([401, 'step_up_required']);
    await world.app.sql(`UPDATE sessions SET created_at = created_at + interval '300 seconds' WHERE user_id = $1`, [
      person.id,
    ]);
    expect((await foreseen(world.app.as(token))).proof).toBeNull();
    expect(outcome(await leave(world.app.as(token), null))).toEqual([200, undefined]);
  });

  it('needs a signed-in user on the Lintel pages: guests, API keys and other sites are rejected', async () => {
    const { person, token, key } = await settledPerson(world.app, { roles: ['admin'] });
    expect(outcome(await leave(world.app.asGuest()))).toEqual([401, 'token_missing']);
    expect(outcome(await leave(world.app.as(key)))).toEqual([403, 'key_not_allowed']);
    for (const path of ['deletion', 'export'])
      expect(outcome(await world.app.as(key).get(`${ME}/${path}`))).toEqual([403, 'key_not_allowed']);
    const body = JSON.stringify({ current_password: PASSWORD });
    for (const origin of ['https://evil.example', 'null', 'http://lintel.test.evil.example'])
      expect(
        outcome(
          await world.app
            .asGuest()
            .delete(ME)
            .set({ cookie: `token=${token}`, origin, 'content-type': 'application/json' })
            .send(body),
        ),
      ).toEqual([403, 'cross_site_request']);
    const foreign = { ...STAYS, 'sec-fetch-site': 'cross-site', authorization: `Bearer ${token}` };
    const answer = await world.app
      .asGuest()
      .delete(ME)
      .set({ ...foreign, 'content-type': 'application/json' })
      .send(body);
    expect(outcome(answer)).toEqual([403, 'cross_site_request']);
    expect(await isThere(person)).toBe(true);
  });

  it('deletes the cookies of the browser', async () => {
    const person = await createPerson(world.app);
    const jar = new CookieJar(world.app);
    const token = await jar.signIn(person);
    expect(jar.cookies.size).toBeGreaterThan(0);
    const headers = {
      ...STAYS,
      cookie: jar.header,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    const answer = await world.app
      .asGuest()
      .delete(ME)
      .set(headers)
      .send(JSON.stringify({ current_password: PASSWORD }));
    expect(outcome(answer)).toEqual([200, undefined]);
    jar.keep(answer);
    expect([...jar.cookies.keys()]).toEqual([]);
    expect((await jar.resume()).status).toBe(401);
  });

  it('is rejected if records of others need those to be deleted, as announced', async () => {
    const { person, me } = await settledPerson(world.app);
    const draft = await make(root, 'draft', { author: { id: person.id } });
    const own = await make(root, 'review', { draft: { id: draft }, critic: { id: person.id } });
    const review = await make(root, 'review', { draft: { id: draft } });
    const comment = await make(root, 'comment', { writer: { id: person.id } });
    expect(await foreseen(me)).toMatchObject({ blocked_by: [{ schema: 'review', count: 1 }] });
    expect(outcome(await leave(me))).toEqual([409, 'record_in_use']);
    expect(await isThere(person)).toBe(true);
    await me.get(ME).expect(200);
    expect(await count('comments WHERE writer_id = $1', person.id)).toBe(1);
    await root.delete(`/api/content/review/${review}`).expect(200);
    // A soft-deleted review still needs the draft.
    expect(await foreseen(me)).toMatchObject({
      blocked_by: [{ schema: 'review', count: 1 }],
    });
    await world.app.sql('DELETE FROM reviews WHERE id = $1', [review]);
    expect(await foreseen(me)).toMatchObject({ blocked_by: [] });
    expect(outcome(await leave(me))).toEqual([200, undefined]);
    expect(await count('reviews WHERE id = $1', own)).toBe(0);
    expect(await count('comments WHERE id = $1', comment)).toBe(1);
  });

  it('calls the hooks of each record, and changes nothing if one rejects', async () => {
    const { person, me } = await settledPerson(world.app);
    const own = { id: person.id };
    await make(root, 'diary', { keeper: own, title: 'monday' });
    const sealed = await make(root, 'diary', { keeper: own, title: 'sealed' });
    const letter = await make(root, 'letter', { sender: own, title: 'to Bob' });
    expect(outcome(await leave(me))).toEqual([403, 'permission_denied']);
    expect(await count('diarys WHERE keeper_id = $1', person.id)).toBe(2);
    expect(await isThere(person)).toBe(true);
    await root.patch(`/api/content/diary/${sealed}`, { title: 'tuesday' }).expect(200);
    hookEvents.splice(0);
    expect(outcome(await leave(me))).toEqual([200, undefined]);
    expect(hookEvents.toSorted()).toEqual([
      'account delete diary monday',
      'account delete diary tuesday',
      'account update letter to Bob',
    ]);
    expect(await count('letters WHERE id = $1 AND sender_id IS NULL', letter)).toBe(1);
    const events = await world.app.sql<{ action: string; resource: string; changes: object }>(
      'SELECT action, resource, changes FROM audit_events WHERE actor = $1 ORDER BY at, id',
      [`account:${person.id}`],
    );
    expect(events.map(({ action, resource }) => `${action} ${resource}`)).toEqual(
      expect.arrayContaining([`record.update letter:${letter}`, `account.erase user:${person.id}`]),
    );
    const erased = events.find(({ action }) => action === 'account.erase');
    expect(erased?.changes).toEqual({
      records: { after: { 'diary.keeper': { delete: 2 }, 'letter.sender': { anonymise: 1 } } },
    });
    expect(JSON.stringify(events)).not.toContain(person.email);
  });

  it('has a preview without changes, for the own account only', async () => {
    const { person, token } = await signedIn(world.app);
    const stranger = await signedIn(world.app);
    await make(root, 'post', { author: { id: person.id } });
    expect((await foreseen(world.app.as(stranger.token))).records).toEqual([]);
    expect((await foreseen(world.app.as(token))).records).toHaveLength(1);
    expect(outcome(await world.app.asGuest().get(`${ME}/deletion`))).toEqual([401, 'token_missing']);
    expect(await world.app.get(UsersService).findById(person.id)).not.toBeNull();
  });
});
