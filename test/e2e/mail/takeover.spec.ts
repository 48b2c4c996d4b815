import { setTimeout as delay } from 'node:timers/promises';
import { Mailbox, until } from '../../support/mailbox.js';
import { newcomer, signUp } from '../../support/service-people.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

/** How soon a mail of a dead instance is sent by another, on a machine that is busy with something else. */
const WITHIN_MS = 15_000;
/** Longer than any claim holds that is not kept up. */
const LONG_MS = 20_000;

describe('a mail that an instance has in hand', () => {
  const world = useServiceHome();
  const person = newcomer();
  let mailbox: Mailbox;
  let first: Service;
  let second: Service;

  beforeAll(async () => {
    mailbox = await Mailbox.open();
    mailbox.behave('hang');
    const options = { env: { MAIL_URL: mailbox.url, LOG_LEVEL: 'warn' } };
    first = await world.home.start(options);
    await signUp(first, person);
    await until(() => mailbox.attempts.length === 1, 'the first to begin');
    second = await world.home.start(options);
  });
  afterAll(async () => {
    await mailbox?.close();
    await second?.stop();
  });

  it('is left to it for as long as it lives, however slow the mail server is', async () => {
    await delay(LONG_MS);
    expect(mailbox.attempts).toEqual([person.email]);
  });

  it('is sent by another within seconds of its death, once', async () => {
    mailbox.behave('accept');
    const killedAt = performance.now();
    first.signal('SIGKILL');
    while (mailbox.received.length === 0) {
      expect(performance.now() - killedAt).toBeLessThan(WITHIN_MS);
      await delay(50);
    }
    await delay(1_500);
    expect(mailbox.received.map(({ to }) => to)).toEqual([[person.email]]);
  });
});
