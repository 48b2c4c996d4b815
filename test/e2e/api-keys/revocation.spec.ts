import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { makeKey, makeServiceKey, outcome, tally, unknownKey } from '../../support/api-keys.js';
import { eventsOf, LOCAL } from '../../support/audit-log.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';

const KEYS = '/api/auth/keys';
const USERS = '/api/content/users';
const NOBODYS = '01900000-0000-7000-8000-000000000000';

describe('the API keys of a user', () => {
  const world = useMailedApp();
  const administrator = () => signedIn(world.app, { roles: ['admin'] });

  describe('are revoked', () => {
    it('by their owner, and not by other users', async () => {
      const { token } = await administrator();
      const { token: thief } = await administrator();
      const { key, id } = await makeKey(world.app, token);
      expect(outcome(await world.app.as(thief).delete(`${KEYS}/${id}`))).toEqual([404, 'key_not_found']);
      await world.app.as(key).get(USERS).expect(200);
      await world.app.as(token).delete(`${KEYS}/${id}`).expect(200);
      expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
      expect(outcome(await world.app.as(token).delete(`${KEYS}/${id}`))).toEqual([404, 'key_not_found']);
      expect(outcome(await world.app.as(token).delete(`${KEYS}/x'; --`))).toEqual([404, 'key_not_found']);
    });

    it('while their owner is deactivated, immediately', async () => {
      const { token, person } = await administrator();
      const { key } = await makeKey(world.app, token);
      const root = world.app.as((await administrator()).token);
      await world.app.as(key).get(USERS).expect(200);
      await root.patch(`${USERS}/${person.id}`, { activated: false }).expect(200);
      expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
      await root.patch(`${USERS}/${person.id}`, { activated: true }).expect(200);
      await world.app.as(key).get(USERS).expect(200);
    });

    it('with their owner', async () => {
      const { token, person } = await administrator();
      const { key, id } = await makeKey(world.app, token);
      await world.app.as(key).get(USERS).expect(200);
      await world.app
        .as((await administrator()).token)
        .delete(`${USERS}/${person.id}`)
        .expect(200);
      expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
      expect(await world.app.sql('SELECT 1 FROM api_keys WHERE id = $1', [id])).toEqual([]);
    });

    it('by the first verification of the address, because an earlier registrant created them', async () => {
      const squatter = await createPerson(world.app, { roles: ['admin'], emailVerifiedAt: null });
      const { key } = await makeKey(world.app, await signIn(world.app, squatter));
      await world.app.as(key).get(USERS).expect(200);
      await world.app.asGuest().post('/api/auth/local/recover', { email: squatter.email }).expect(200);
      const link = (await world.mailTo(squatter.email)).links.find((one) => one.includes('token='))!;
      const secret = new URL(link).searchParams.get('token');
      const password = 'mellow pecan 12';
      await world.app
        .asGuest()
        .post('/api/auth/local/recover/reset', { token: secret, password, password_confirmation: password })
        .expect(200);
      expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
    });

    it('by reporting a found key, with the same response for any text', async () => {
      const { token, person } = await administrator();
      const { key, prefix } = await makeKey(world.app, token);
      await world.mailTo(person.email);
      const finds = [unknownKey(), 'lin_pat_', 'x', `${key}x`, key.toLowerCase(), key.slice(0, -1), ` ${key} `, key];
      const answers = [];
      for (const find of finds) {
        if (find === ` ${key} `) await world.app.as(key).get(USERS).expect(200);
        answers.push(await world.app.asGuest().post(`${KEYS}/report`, { key: find }));
      }
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]!.status).toBe(202);
      expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
      const mail = await world.mailTo(person.email);
      expect(mail.subject).toContain('was found');
      expect(mail.text).toContain(prefix);
    });

    it('once for sixteen reports, with one mail and one audit entry', async () => {
      const { token, person } = await administrator();
      const { key, id } = await makeKey(world.app, token);
      await world.mailTo(person.email);
      const report = () => world.app.asGuest().post(`${KEYS}/report`, { key });
      const answers = await Promise.all(Array.from({ length: 16 }, report));
      expect(tally(answers)).toEqual({ '202': 16 });
      await world.app.get(JobWorker).drain();
      const found = world.mailbox.mailsTo(person.email).filter(({ subject }) => subject.includes('was found'));
      expect(found).toHaveLength(1);
      expect(await eventsOf(world.app, `resource = $1 AND action = 'key.end'`, [`key:${id}`])).toMatchObject([
        {
          actor: 'guest',
          address: expect.stringMatching(LOCAL),
          request_id: expect.any(String),
          changes: { user: { after: person.id }, reason: { after: 'reported' } },
        },
      ]);
    });

    it('for a service account without a mail', async () => {
      const { token } = await administrator();
      const { key } = await makeServiceKey(world.app, token, ['admin']);
      await world.app.as(key).get(USERS).expect(200);
      const before = world.mailbox.attempts.length;
      await world.app.asGuest().post(`${KEYS}/report`, { key }).expect(202);
      await world.app.get(JobWorker).drain();
      expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
      expect(world.mailbox.attempts.slice(before).filter((to) => to.startsWith('service-'))).toEqual([]);
    });

    it('once, if one is rotated, revoked and reported at the same time', async () => {
      const { token } = await administrator();
      const { key, id } = await makeKey(world.app, token);
      const client = world.app.as(token);
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => [
          client.post(`${KEYS}/${id}/rotate`, { overlap_hours: 24, current_password: PASSWORD }),
          client.delete(`${KEYS}/${id}`),
          world.app.asGuest().post(`${KEYS}/report`, { key }),
        ]).flat(),
      );
      expect(answers.filter(({ status }) => ![200, 201, 202, 404, 409].includes(status))).toEqual([]);
      expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
      expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
    });

    it('and not created by a session that ends before', async () => {
      const { token, person } = await administrator();
      await world.app.sql('DELETE FROM sessions WHERE user_id = $1', [person.id]);
      expect(outcome(await world.app.as(token).post(KEYS, { name: 'x' }))[0]).toBe(401);
      expect(await world.app.sql('SELECT 1 FROM api_keys WHERE user_id = $1', [person.id])).toEqual([]);
    });
  });

  describe('are rotated', () => {
    const rotate = (token: string, id: string, body: object = {}) =>
      world.app.as(token).post(`${KEYS}/${id}/rotate`, { current_password: PASSWORD, ...body });

    it('to a key with the same name, scopes and lifetime; the old one stays valid for the overlap', async () => {
      const { token } = await administrator();
      const scopes = [{ resource: 'content.user.list', value: 'allow', fields: null }];
      const first = await makeKey(world.app, token, { scopes, expires_in_days: 10 });
      world.app.clock.advance(500);
      const { body } = await rotate(token, first.id, { overlap_hours: 2 }).expect(201);
      expect(body.data).toMatchObject({ name: first.name, scopes, key: expect.stringMatching(/^lin_pat_/) });
      expect(Date.parse(body.data.expires_at) - Date.parse(body.data.created_at)).toBe(10 * 86_400_000);
      expect(body.data.key).not.toBe(first.key);
      for (const key of [first.key, body.data.key]) await world.app.as(key).get(USERS).expect(200);
      world.app.clock.advance(2 * 3_600);
      expect(outcome(await world.app.as(first.key).get(USERS))).toEqual([401, 'key_expired']);
      await world.app.as(body.data.key).get(USERS).expect(200);
    });

    it('immediately with an overlap of zero, and not beyond their expiration', async () => {
      const { token } = await administrator();
      const [one, other] = [await makeKey(world.app, token), await makeKey(world.app, token, { expires_in_days: 1 })];
      await world.app.as(one.key).get(USERS).expect(200);
      await rotate(token, one.id, { overlap_hours: 0 }).expect(201);
      expect(outcome(await world.app.as(one.key).get(USERS))).toEqual([401, 'key_expired']);
      await rotate(token, other.id, { overlap_hours: 720 }).expect(201);
      world.app.clock.advance(86_400);
      expect(outcome(await world.app.as(other.key).get(USERS))).toEqual([401, 'key_expired']);
    });

    it('once for sixteen concurrent requests', async () => {
      const { token } = await administrator();
      const { id } = await makeKey(world.app, token);
      const client = world.app.as(token);
      await client.post('/api/auth/mfa/step-up', { method: 'password', password: PASSWORD }).expect(200);
      const once = { current_password: undefined };
      const answers = await Promise.all(Array.from({ length: 16 }, () => rotate(token, id, once)));
      expect(tally(answers)).toEqual({ '201': 1, '409 key_rotated': 15 });
      expect((await world.app.as(token).get(KEYS)).body.data).toHaveLength(2);
    });

    it('only by their owner, before they expire, and with a fresh proof', async () => {
      const { token } = await administrator();
      const { token: thief } = await administrator();
      const { id } = await makeKey(world.app, token, { expires_in_days: 1 });
      expect(outcome(await rotate(thief, id))).toEqual([404, 'key_not_found']);
      expect(outcome(await rotate(token, NOBODYS))).toEqual([404, 'key_not_found']);
      expect(outcome(await rotate(token, 'x'))).toEqual([404, 'key_not_found']);
      for (const hours of [-1, 721, 1.5, '2'])
        expect(outcome(await rotate(token, id, { overlap_hours: hours }))).toEqual([422, 'validation_failed']);
      world.app.clock.advance(601);
      expect(outcome(await rotate(token, id, { current_password: undefined }))).toEqual([401, 'step_up_required']);
      world.app.clock.advance(86_400);
      expect(outcome(await rotate(token, id, { current_password: PASSWORD }))).toEqual([404, 'key_not_found']);
    });
  });
});
