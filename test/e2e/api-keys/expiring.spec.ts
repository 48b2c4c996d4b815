import { ApiKeyExpiry } from '../../../src/features/api-keys/api-key-expiry.service.js';
import { makeKey, makeServiceKey } from '../../support/api-keys.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';

const DAY = 86_400;

describe('an expiring API key', () => {
  const world = useMailedApp();
  const pendingMails = () =>
    world.app.sql<{ id: string }>(`SELECT id FROM background_jobs WHERE kind LIKE 'mail%' AND state = 'due'`);
  const warn = (times = 1) => Promise.all(Array.from({ length: times }, () => world.app.get(ApiKeyExpiry).warn()));

  it('is reported to its owner by one mail a week before', async () => {
    const { token, person } = await signedIn(world.app);
    const { prefix, expires_at: expiresAt, key } = await makeKey(world.app, token, { expires_in_days: 90 });
    await world.mailTo(person.email);
    world.app.clock.advance(82 * DAY);
    await warn();
    expect(await pendingMails()).toEqual([]);
    world.app.clock.advance(1.5 * DAY);
    await warn(16);
    const { subject, text, html } = await world.mailTo(person.email);
    expect(subject).toContain('expires soon');
    for (const part of [text, html]) {
      expect(part).toContain(prefix);
      expect(part).toContain(expiresAt!.slice(0, 10));
      expect(part).not.toContain(key);
    }
    world.app.clock.advance(2 * DAY);
    await warn(2);
    expect(await pendingMails()).toEqual([]);
  });

  it('sends no mail if it is short-lived, rotated, of a service account or of a deactivated account', async () => {
    const person = await createPerson(world.app, { roles: ['admin'] });
    const token = await signIn(world.app, person);
    const shut = await signedIn(world.app);
    await makeKey(world.app, token, { expires_in_days: 14 });
    const { id } = await makeKey(world.app, token, { expires_in_days: 60 });
    await world.app
      .as(token)
      .post(`/api/auth/keys/${id}/rotate`, { overlap_hours: 24, current_password: PASSWORD })
      .expect(201);
    await makeServiceKey(world.app, token, ['user'], { expires_in_days: 60 });
    await makeKey(world.app, shut.token, { expires_in_days: 60 });
    await world.app.sql('UPDATE users SET activated = false WHERE id = $1', [shut.person.id]);
    // The mails about the three new keys, and no others.
    for (let mail = 0; mail < 3; mail += 1) await world.mailTo(person.email);
    await world.mailTo(shut.person.email);
    for (const days of [8, 2, 3]) {
      world.app.clock.advance(days * DAY);
      await warn();
    }
    expect(await pendingMails()).toEqual([]);
    world.app.clock.advance(41 * DAY);
    await warn();
    expect((await world.mailTo(person.email)).subject).toContain('expires soon');
    expect(await pendingMails()).toEqual([]);
  });
});
