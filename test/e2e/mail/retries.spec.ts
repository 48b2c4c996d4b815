import { JobQueue } from '../../../src/platform/jobs/job-queue.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Mailbox, until, useMailedApp } from '../../support/mailbox.js';
import { activation, enqueue, LINK, newAddress, notice, pending } from './support/mails.js';

const DAY = 86_400;

describe('a mail that cannot be sent immediately', () => {
  const world = useMailedApp();
  const drain = () => world.app.get(JobWorker).drain();
  const tries = (to: string) => world.mailbox.attempts.filter((address) => address === to).length;
  /** Recipients by mail id, because the log contains only the id. */
  const recipients = new Map<unknown, string>();
  const logOf = (to: string) =>
    world.app.log
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ mail }) => recipients.get(mail) === to);

  beforeAll(() => {
    const queue = world.app.get(JobQueue);
    const claim = queue.claim.bind(queue);
    queue.claim = async (...parameters) => {
      const jobs = await claim(...parameters);
      for (const { id, payload } of jobs) recipients.set(id, (payload as { recipient: string }).recipient);
      return jobs;
    };
  });

  it('is retried with exponential back-off, and delivered', async () => {
    world.mailbox.behave('defer-recipient');
    const to = newAddress();
    await enqueue(world.app, activation(to));
    await drain();
    expect(tries(to)).toBe(1);
    await drain();
    expect(tries(to)).toBe(1);
    for (const [attempt, seconds] of [5, 10, 20, 40].entries()) {
      world.app.clock.advance(seconds * 0.7);
      await drain();
      expect(tries(to)).toBe(attempt + 1);
      world.app.clock.advance(seconds * 0.6);
      await drain();
      expect(tries(to)).toBe(attempt + 2);
    }
    world.mailbox.behave('accept');
    world.app.clock.advance(100);
    await drain();
    expect(world.mailbox.mailsTo(to)).toHaveLength(1);
    expect(await pending(world.app, to)).toBe(0);
    expect(logOf(to).map(({ level, msg }) => [level, msg])).toEqual(
      Array.from({ length: 5 }, () => [40, 'A mail could not be sent. It will be retried.']),
    );
  });

  it('is retried by time alone', async () => {
    world.mailbox.behave('defer-recipient');
    const to = newAddress();
    await enqueue(world.app, notice(to));
    await until(async () => logOf(to).length > 0, 'the first attempt');
    world.mailbox.behave('accept');
    world.app.clock.advance(10);
    await world.mailbox.waitFor(to);
  });

  it('keeps one Message-ID for all attempts', async () => {
    world.mailbox.behave('defer-recipient');
    const to = newAddress();
    await enqueue(world.app, notice(to));
    await drain();
    const [row] = await world.app.sql<{ id: string }>(
      `SELECT id FROM background_jobs WHERE payload ->> 'recipient' = $1`,
      [to],
    );
    world.mailbox.behave('accept');
    world.app.clock.advance(10);
    const { headers } = await world.mailbox.waitFor(to);
    expect(headers['message-id']).toBe(`<${row!.id}@lintel.test>`);
  });

  it('states how long the link is still valid', async () => {
    world.mailbox.behave('defer-recipient');
    const to = newAddress();
    await enqueue(world.app, activation(to));
    await drain();
    world.app.clock.advance(6 * 3_600);
    world.mailbox.behave('accept');
    await drain();
    expect((await world.mailbox.waitFor(to)).text).toContain('The link is valid for 18 hours');
  });

  it('is dropped after a day and logged without its link', async () => {
    world.mailbox.behave('defer-recipient');
    const to = newAddress();
    await enqueue(world.app, notice(to));
    await drain();
    world.app.clock.advance(DAY - 4_000);
    await drain();
    expect(await pending(world.app, to)).toBe(1);
    world.app.clock.advance(4_000);
    await drain();
    expect(await pending(world.app, to)).toBe(0);
    expect(logOf(to).at(-1)).toMatchObject({
      level: 50,
      outcome: 'given_up',
      template: 'password-changed',
      attempts: 3,
    });
    world.mailbox.behave('accept');
    world.app.clock.advance(DAY);
    await drain();
    expect(world.mailbox.mailsTo(to)).toEqual([]);
  });

  it('is dropped without an attempt once its link or code has expired', async () => {
    world.mailbox.behave('defer-recipient');
    const [link, code] = [newAddress(), newAddress()];
    await enqueue(world.app, activation(link));
    await enqueue(world.app, { template: 'otp', to: code, variables: { code: '408213', expiresInMinutes: 5 } });
    await drain();
    world.mailbox.behave('accept');
    world.app.clock.advance(300);
    await drain();
    expect(await pending(world.app, code)).toBe(0);
    expect(logOf(code).at(-1)).toMatchObject({ level: 50, outcome: 'expired', template: 'otp' });
    expect(world.mailbox.mailsTo(link)).toHaveLength(1);
    world.mailbox.behave('defer-recipient');
    await enqueue(world.app, activation(link));
    await drain();
    world.mailbox.behave('accept');
    world.app.clock.advance(DAY);
    await drain();
    expect(world.mailbox.mailsTo(link)).toHaveLength(1);
    expect(logOf(link).at(-1)).toMatchObject({ level: 50, outcome: 'expired', template: 'activation' });
  });

  it.each([
    ['refuse-recipient', '550'],
    ['refuse-message', '554'],
  ] as const)('is dropped immediately on a permanent rejection (%s)', async (behaviour, status) => {
    world.mailbox.behave(behaviour);
    const to = newAddress();
    await enqueue(world.app, activation(to));
    await drain();
    expect(await pending(world.app, to)).toBe(0);
    const [line] = logOf(to);
    expect(line).toMatchObject({ level: 50, outcome: 'refused', reason: expect.stringContaining(status) });
    world.app.clock.advance(DAY);
    await drain();
    expect(tries(to)).toBe(1);
  });

  it('is not logged with its link or address, even if the mail server quotes them', () => {
    const all = world.app.log.join('\n');
    expect(all).toContain('blocked because of');
    expect(all).not.toContain(LINK);
    expect(all).toContain('no such user');
    expect(all).not.toMatch(/q8TzVb2m|408213|@example/);
  });

  it('waits for an unavailable mail server, and is delivered when it is back', async () => {
    const { port } = world.mailbox;
    await world.mailbox.close();
    const to = newAddress();
    await enqueue(world.app, activation(to));
    await drain();
    expect(logOf(to)[0]).toMatchObject({ level: 40, reason: expect.stringContaining('ECONNREFUSED') });
    const back = await Mailbox.open({ port });
    world.app.clock.advance(10);
    await drain();
    expect(back.mailsTo(to)).toHaveLength(1);
    await back.close();
  });
});
