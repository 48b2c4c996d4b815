import { MailOutbox, LEASE_MS } from '../../../src/platform/mail/mail-outbox.js';
import { MailWorker } from '../../../src/platform/mail/mail-worker.service.js';
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
    // First the mailbox: what hangs there is cut off, so that nobody waits for it.
    await mailbox.close();
    for (const app of running.splice(0)) await app.stop();
  });

  it('send each mail once: 2 instances, 20 mails each', async () => {
    const one = await first();
    const two = await another(one);
    const addresses = Array.from({ length: 40 }, newAddress);
    await Promise.all(addresses.map((to, at) => enqueue(at % 2 === 0 ? one : two, activation(to))));
    await until(async () => (await pending(one)) === 0, 'an empty outbox');
    await Promise.all([one, two].map((app) => app.get(MailWorker).drain()));
    expect(mailbox.received.flatMap(({ to }) => to).sort()).toEqual([...addresses].sort());
  });

  it('send each mail once, however many look at the same moment', async () => {
    const one = await first();
    mailbox.behave('defer-recipient');
    const addresses = Array.from({ length: 20 }, newAddress);
    for (const to of addresses) await enqueue(one, notice(to));
    await one.get(MailWorker).drain();
    mailbox.behave('accept');
    one.clock.advance(60);
    const claims = await Promise.all(Array.from({ length: 16 }, () => one.get(MailOutbox).claim(20, [])));
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(20);
  });

  it('send again, under the same Message-ID, what a crash left between sending and booking', async () => {
    const one = await first();
    const crash = jest.spyOn(one.get(MailOutbox), 'remove').mockRejectedValue(new Error('crashed'));
    const to = newAddress();
    await enqueue(one, notice(to));
    await mailbox.waitFor(to);
    await until(() => crash.mock.calls.length === 1, 'the crash');
    const two = await another(one);
    await two.get(MailWorker).drain();
    expect(mailbox.mailsTo(to)).toHaveLength(1);
    crash.mockRestore();
    two.clock.advance(LEASE_MS / 1_000 + 1);
    await mailbox.waitFor(to, 2);
    await Promise.all([one, two].map((app) => app.get(MailWorker).drain()));
    expect(await pending(two)).toBe(0);
    const ids = mailbox.mailsTo(to).map(({ headers }) => headers['message-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('do not send twice what one of them has in hand for long', async () => {
    const one = await first();
    mailbox.behave('hang');
    const to = newAddress();
    await enqueue(one, notice(to));
    await until(() => mailbox.attempts.length === 1, 'the first attempt');
    one.clock.advance(LEASE_MS / 1_000 + 1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(mailbox.attempts).toHaveLength(1);
  });

  it('leave to others what is in hand when they are stopped', async () => {
    const one = await first();
    const two = await another(one);
    mailbox.behave('hang');
    const to = newAddress();
    const idle = jest.spyOn(two.get(MailOutbox), 'claim').mockResolvedValue([]);
    await enqueue(one, notice(to));
    await until(() => mailbox.attempts.length === 1, 'the first attempt');
    mailbox.behave('accept');
    idle.mockRestore();
    // The first instance owns the database of the test, so only its worker stops here.
    await one.get(MailWorker).beforeApplicationShutdown();
    await mailbox.waitFor(to);
    await two.get(MailWorker).drain();
    expect(await pending(two)).toBe(0);
  });

  it('finish what is in hand when they are stopped, and take nothing more', async () => {
    const one = await first();
    let answer = (): void => undefined;
    const gate = new Promise<void>((resolve) => (answer = resolve));
    const { deliver } = one.get(MailWorker)['delivery'];
    jest.spyOn(one.get(MailWorker)['delivery'], 'deliver').mockImplementation(async function (this: never, mail) {
      await gate;
      await deliver.call(one.get(MailWorker)['delivery'], mail);
    });
    const [inHand, later] = [newAddress(), newAddress()];
    await enqueue(one, notice(inHand));
    await until(
      async () => (await one.sql('SELECT 1 FROM mail_outbox WHERE claim_id IS NOT NULL')).length === 1,
      'a claim',
    );
    const stopped = one.get(MailWorker).beforeApplicationShutdown();
    await enqueue(one, notice(later));
    answer();
    await stopped;
    expect(mailbox.mailsTo(inHand)).toHaveLength(1);
    expect(mailbox.attempts).not.toContain(later);
    expect([await pending(one, inHand), await pending(one, later)]).toEqual([0, 1]);
  });
});
