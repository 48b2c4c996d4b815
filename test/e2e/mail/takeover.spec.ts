import { setTimeout as delay } from 'node:timers/promises';
import { Mailbox, until } from '../../support/mailbox.js';
import { newcomer, signUp } from '../../support/service-users.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

/** Time within which another instance sends the mail of a dead one, on a busy machine. */
const WITHIN_MS = 15_000;
/** Longer than any claim lasts without renewal. */
const LONG_MS = 20_000;

describe('a mail that an instance is sending', () => {
  const world = useServiceHome();
  let mailbox: Mailbox;

  beforeEach(async () => {
    mailbox = await Mailbox.open();
  });
  afterEach(async () => {
    await mailbox.close();
  });

  it('is sent once by another instance within seconds of a crash', async () => {
    const options = { env: { MAIL_URL: mailbox.url, LOG_LEVEL: 'warn' } };
    const person = newcomer();
    mailbox.behave('hang');
    const first = await world.home.start(options);
    await signUp(first, person);
    await until(() => mailbox.attempts.length === 1, 'the attempt of the first instance');
    const second = await world.home.start(options);
    mailbox.behave('accept');
    const killedAt = performance.now();
    first.signal('SIGKILL');
    while (mailbox.received.length === 0) {
      expect(performance.now() - killedAt).toBeLessThan(WITHIN_MS);
      await delay(50);
    }
    await delay(1_500);
    expect(mailbox.received.map(({ to }) => to)).toEqual([[person.email]]);
    await second.stop();
  });

  it('is not taken over while the instance is alive, however slow the mail server is', async () => {
    const options = { env: { MAIL_URL: mailbox.url, LOG_LEVEL: 'warn' } };
    const person = newcomer();
    mailbox.behave('hang');
    const services = [await world.home.start(options), await world.home.start(options)];
    await signUp(services[0]!, person);
    await until(() => mailbox.attempts.length === 1, 'the attempt of one instance');
    await delay(LONG_MS);
    expect(mailbox.attempts).toEqual([person.email]);
    await mailbox.close();
    await Promise.all(services.map((service) => service.stop()));
  });
});
