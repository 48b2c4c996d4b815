import { Injectable, Module } from '@nestjs/common';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { type AccountDataRequest, OnAccountExport } from '../../../src/identity/lifecycle/account-data.decorators.js';
import { outcome } from '../../support/api-keys.js';
import { make, makeBelongings, ME, settledPerson } from '../../support/account-deletion.js';
import { createPerson, PASSWORD, signedIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const EXPORT = `${ME}/export`;
const STEP_UP = '/api/auth/mfa/step-up';

@Injectable()
class Loyalty {
  @OnAccountExport('loyalty_points')
  points({ userId }: AccountDataRequest): readonly object[] {
    return [{ userId, points: 7 }];
  }
}

@Module({ providers: [Loyalty] })
class LoyaltyModule {}

interface Document {
  readonly [member: string]: unknown;
  readonly account: Record<string, unknown>;
  readonly records: readonly { schema: string; field: string; items?: Record<string, unknown>[]; withheld?: true }[];
}

describe('GET /api/auth/me/export', () => {
  const world = useTestApp({ modules: [LoyaltyModule] });
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeBelongings(world.app));
    const points = { name: 'user', fields: [{ type: 'string', name: 'motto', optional: true }] };
    const { body } = await root.get('/api/schema/user').expect(200);
    const fields = [...(body.data as { fields: object[] }).fields, ...points.fields];
    await root.put('/api/schema/user', { ...body.data, fields }).expect(200);
  });

  const exported = async (client: TestClient): Promise<Document> => {
    const answer = await client.get(EXPORT).expect(200);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="account.json"');
    expect(answer.headers['cache-control']).toContain('no-store');
    return answer.body as Document;
  };
  const itemsOf = (document: Document, schema: string) => document.records.find((one) => one.schema === schema)?.items;

  it('contains all data about a user, with any permissions', async () => {
    const { person, token, key, me } = await settledPerson(world.app, { username: 'ann.exports', firstName: 'Ann' });
    await world.app.sql('UPDATE users SET motto = $2 WHERE id = $1', [person.id, 'Carry on']);
    await world.app.sql(
      `INSERT INTO identities (id, user_id, provider, issuer, subject, email, email_verified, created_at, last_used_at)
       VALUES (gen_random_uuid(), $1, 'google', 'https://accounts.example', 'subject-7', 'a@g.example', true, now(), now())`,
      [person.id],
    );
    const post = await make(root, 'post', { author: { id: person.id }, title: 'Mine', body: 'of my own' });
    const gone = await make(root, 'post', { author: { id: person.id } });
    await root.delete(`/api/content/post/${gone}`).expect(200);
    const club = await make(root, 'club', { members: [{ id: person.id }] });
    await root.patch(`/api/content/users/${person.id}`, { last_name: 'Walnut' }).expect(200);
    const document = await exported(me);
    expect(document).toMatchObject({
      service: 'http://lintel.test',
      account: {
        id: person.id,
        email: person.email,
        username: 'ann.exports',
        first_name: 'Ann',
        motto: 'Carry on',
        roles: ['user'],
      },
      identities: [
        { provider: 'google', issuer: 'https://accounts.example', subject: 'subject-7', email: 'a@g.example' },
      ],
      api_keys: [{ name: 'for a test' }],
      former_addresses: [],
      loyalty_points: [{ userId: person.id, points: 7 }],
    });
    expect(document['sessions']).toHaveLength(2);
    expect(itemsOf(document, 'post')).toEqual([
      expect.objectContaining({ id: post, title: 'Mine', body: 'of my own', author_id: person.id, deleted_at: null }),
      expect.objectContaining({ id: gone, deleted_at: expect.any(String) }),
    ]);
    expect(itemsOf(document, 'club')).toEqual([expect.objectContaining({ id: club })]);
    const events = document['audit'] as { by: string; action: string; address: string | null; fields: string[] }[];
    expect(events.filter(({ by }) => by === 'you').map(({ action }) => action)).toEqual(
      expect.arrayContaining(['account.create', 'session.begin', 'key.create', 'account.export']),
    );
    const byOthers = events.filter(({ by }) => by === 'others');
    expect(byOthers).toEqual([
      expect.objectContaining({ action: 'record.update', address: null, fields: ['last_name'] }),
    ]);
    const text = JSON.stringify(document);
    for (const secret of [token, key, key.slice(12), 'argon2', 'hash', 'email_key', 'credentials_version'])
      expect(text).not.toContain(secret);
  });

  it('contains nothing about others', async () => {
    const { person, me } = await settledPerson(world.app);
    const stranger = await createPerson(world.app);
    await make(root, 'post', { author: { id: stranger.id }, title: 'Not mine' });
    const document = await exported(me);
    expect(itemsOf(document, 'post')).toEqual([]);
    const text = JSON.stringify(document);
    for (const other of [stranger.id, stranger.email, 'Not mine']) expect(text).not.toContain(other);
    expect(text).toContain(person.id);
  });

  it('omits what a permission denies the user', async () => {
    const permissions = [{ resource: 'content.post.get', value: 'deny', fields: null }];
    await world.app.get(RoleSeeder).seed([{ name: 'watched', permissions }]);
    const { person, me } = await settledPerson(world.app, { roles: ['watched'] });
    await make(root, 'post', { author: { id: person.id }, title: 'A note about them' });
    await make(root, 'invoice', { customer: { id: person.id } });
    const document = await exported(me);
    expect(document.records.find(({ schema }) => schema === 'post')).toEqual({
      schema: 'post',
      field: 'author',
      withheld: true,
    });
    expect(JSON.stringify(document)).not.toContain('A note about them');
    expect(itemsOf(document, 'invoice')).toHaveLength(1);
  });

  it('contains each of many records once', async () => {
    const { person, me } = await settledPerson(world.app);
    await world.app.sql(
      `INSERT INTO posts (id, title, author_id, created_at, updated_at)
       SELECT gen_random_uuid(), 'post ' || n, $1, now(), now() FROM generate_series(1, 1201) n`,
      [person.id],
    );
    const titles = itemsOf(await exported(me), 'post')?.map(({ title }) => title);
    expect(titles).toHaveLength(1_201);
    expect(new Set(titles).size).toBe(1_201);
  });

  it('needs a sign-in in the last ten minutes, or the password', async () => {
    const { token } = await signedIn(world.app);
    const me = world.app.as(token);
    world.app.clock.advance(601);
    expect(outcome(await me.get(EXPORT))).toEqual([401, 'step_up_required']);
    expect(outcome(await me.post(STEP_UP, { method: 'password', password: PASSWORD }))).toEqual([200, undefined]);
    await exported(me);
    world.app.clock.advance(601);
    expect(outcome(await me.get(EXPORT))).toEqual([401, 'step_up_required']);
  });

  it('is rejected for guests', async () => {
    expect(outcome(await world.app.asGuest().get(EXPORT))).toEqual([401, 'token_missing']);
  });

  describe('POST /api/auth/mfa/step-up', () => {
    it.each<[string, unknown, [number, string]]>([
      ['a wrong password', { method: 'password', password: 'wrong walnut 47' }, [401, 'invalid_credentials']],
      ['no password', { method: 'password' }, [422, 'validation_failed']],
      ['an object', { method: 'password', password: { $ne: '' } }, [422, 'validation_failed']],
      ['another method', { method: 'sms', password: PASSWORD }, [422, 'validation_failed']],
      ['a list of methods', { method: ['password'], password: PASSWORD }, [422, 'validation_failed']],
      ['nothing', {}, [422, 'validation_failed']],
    ])('rejects %s, and does not renew the session', async (_what, body, refusal) => {
      const { token } = await signedIn(world.app);
      world.app.clock.advance(601);
      expect(outcome(await world.app.as(token).post(STEP_UP, body))).toEqual(refusal);
      expect(outcome(await world.app.as(token).get(EXPORT))).toEqual([401, 'step_up_required']);
    });

    it('renews the session of the caller only', async () => {
      const { token, elsewhere } = await settledPerson(world.app);
      world.app.clock.advance(601);
      await world.app.as(token).post(STEP_UP, { method: 'password', password: PASSWORD }).expect(200);
      await world.app.as(token).get(EXPORT).expect(200);
      expect(outcome(await world.app.as(elsewhere).get(EXPORT))).toEqual([401, 'step_up_required']);
    });

    it('requires a new sign-in without a password, and rejects guests and API keys', async () => {
      const { person, token, key } = await settledPerson(world.app, { roles: ['admin'] });
      const body = { method: 'password', password: PASSWORD };
      expect(outcome(await world.app.asGuest().post(STEP_UP, body))).toEqual([401, 'token_missing']);
      expect(outcome(await world.app.as(key).post(STEP_UP, body))).toEqual([403, 'key_not_allowed']);
      await world.app.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [person.id]);
      expect(outcome(await world.app.as(token).post(STEP_UP, body))).toEqual([401, 'step_up_required']);
    });
  });
});

describe('@OnAccountExport', () => {
  it('stops the start if two parts have one name', async () => {
    @Injectable()
    class Other {
      @OnAccountExport('sessions')
      points(): readonly object[] {
        return [];
      }
    }
    @Module({ providers: [Other] })
    class OtherModule {}
    await expect(TestApp.start({ modules: [LoyaltyModule, OtherModule] })).rejects.toThrow(
      /have the name sessions\. Names must be unique/,
    );
  });
});
