import { JobQueue, LEASE_MS } from '../../../src/platform/jobs/job-queue.service.js';
import { MailTransport } from '../../../src/platform/mail/transports/mail-transport.port.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Mailbox, until } from '../../support/mailbox.js';
import { TestApp } from '../../support/test-app.js';
import { activation, enqueue, newAddress, notice, pending } from './support/mails.js';

describe('several instances on one database', () => {
  let mailbox: Mailbox;
  const running: TestApp[] = [];
  const env = () => ({ MAIL_URL: mailbox.url });
  const first = async (): Promise<TestApp> => {
    const app = await TestApp.start({ env: env() });
    running.push(app);
    return app;
  };
  const another = async (app: TestApp): Promise<TestApp> => {
    const second = await app.secondInstance({ env: env() });
    running.unshift(second);
    return second;
  };

  beforeEach(async () => {
    mailbox = await Mailbox.open();
  });
  afterEach(async () => {
    // The mailbox first: that ends pending deliveries, so that no instance waits for them.
    await mailbox.close();
    for (const app of running.splice(0)) await app.stop();
  });

  it('send each mail once: 2 instances, 20 mails each', async () => {
    const one = await first();
    const two = await another(one);
    const addresses = Array.from({ length: 40 }, newAddress);
    await Promise.all(addresses.map((to, at) => enqueue(at % 2 === 0 ? one : two, activation(to))));
    await until(async () => (await pending(one)) === 0, 'an empty outbox');
    await Promise.all([one, two].map((app) => app.get(JobWorker).drain()));
    expect(mailbox.received.flatMap(({ to }) => to).sort()).toEqual([...addresses].sort());
  });

  it('send each mail once, also for concurrent runs', async () => {
    const one = await first();
    mailbox.behave('defer-recipient');
    const addresses = Array.from({ length: 20 }, newAddress);
    for (const to of addresses) await enqueue(one, notice(to));
    await one.get(JobWorker).drain();
    mailbox.behave('accept');
    one.clock.advance(60);
    const claims = await Promise.all(
      Array.from({ length: 16 }, () => one.get(JobQueue).claim(new Map([['mail.send', 20]]), [])),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(20);
  });

  it('send a mail again with the same Message-ID after a crash between sending and recording', async () => {
    const one = await first();
    const crash = jest.spyOn(one.get(JobQueue), 'remove').mockRejectedValue(new Error('crashed'));
    const to = newAddress();
    await enqueue(one, notice(to));
    await mailbox.waitFor(to);
    await until(() => crash.mock.calls.length === 1, 'the crash');
    const two = await another(one);
    await two.get(JobWorker).drain();
    expect(mailbox.mailsTo(to)).toHaveLength(1);
    crash.mockRestore();
    two.clock.advance(LEASE_MS / 1_000 + 1);
    await mailbox.waitFor(to, 2);
    await Promise.all([one, two].map((app) => app.get(JobWorker).drain()));
    expect(await pending(two)).toBe(0);
    const ids = mailbox.mailsTo(to).map(({ headers }) => headers['message-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('do not send a mail twice that takes long', async () => {
    const one = await first();
    mailbox.behave('hang');
    const to = newAddress();
    await enqueue(one, notice(to));
    await until(() => mailbox.attempts.length === 1, 'the first attempt');
    one.clock.advance(LEASE_MS / 1_000 + 1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(mailbox.attempts).toHaveLength(1);
  });

  it('release their mails when they are stopped', async () => {
    const one = await first();
    const two = await another(one);
    mailbox.behave('hang');
    const to = newAddress();
    const idle = jest.spyOn(two.get(JobQueue), 'claim').mockResolvedValue([]);
    await enqueue(one, notice(to));
    await until(() => mailbox.attempts.length === 1, 'the first attempt');
    mailbox.behave('accept');
    idle.mockRestore();
    // The first instance owns the database of the test, so only its worker stops here.
    await one.get(JobWorker).beforeApplicationShutdown();
    await mailbox.waitFor(to);
    await two.get(JobWorker).drain();
    expect(await pending(two)).toBe(0);
  });

  it('finish the current mail when they are stopped, and start no other', async () => {
    const one = await first();
    let answer = (): void => undefined;
    const gate = new Promise<void>((resolve) => (answer = resolve));
    const transport = one.get(MailTransport);
    const { send } = transport;
    jest.spyOn(transport, 'send').mockImplementation(async (mail) => {
      await gate;
      await send.call(transport, mail);
    });
    const [inHand, later] = [newAddress(), newAddress()];
    await enqueue(one, notice(inHand));
    await until(
      async () => (await one.sql('SELECT 1 FROM background_jobs WHERE claim_id IS NOT NULL')).length === 1,
      'a claim',
    );
    const stopped = one.get(JobWorker).beforeApplicationShutdown();
    await enqueue(one, notice(later));
    answer();
    await stopped;
    expect(mailbox.mailsTo(inHand)).toHaveLength(1);
    expect(mailbox.attempts).not.toContain(later);
    expect([await pending(one, inHand), await pending(one, later)]).toEqual([0, 1]);
  });
});
