import { setTimeout as delay } from 'node:timers/promises';
import { tokenOf } from '../../support/flows.js';
import { Mailbox } from '../../support/mailbox.js';
import { PASSWORD } from '../../support/people.js';
import type { Service } from '../../support/service.js';
import { type ServiceHome, useServiceHome } from '../../support/service-home.js';

/** Longer than recording a failed attempt takes, and shorter than the delay before the next attempt. */
const BOOKING_MS = 1_000;
/** Longer than the interval at which the service checks its outbox. */
const TWO_LOOKS_MS = 2_500;

describe('a service that is killed between a registration and its mail', () => {
  const place = useServiceHome({ embedded: true });

  it.each<[string, (service: Service, home: ServiceHome) => Promise<unknown>]>([
    [
      'with kill -9',
      (service) => {
        service.signal('SIGKILL');
        return service.exit;
      },
    ],
    ['together with its database', (service, home) => home.killTree(service)],
  ])(
    '%s: sends the mail once after the restart',
    async (_name, kill) => {
      const away = await Mailbox.open();
      const { port } = away;
      const options = { env: { MAIL_URL: away.url } };
      await away.close();
      const email = `ann.${port}@example.com`;
      const first = await place.home.start(options);
      const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
      const registered = await first.post('/api/auth/local/register', body);
      expect([registered.status, registered.body]).toEqual([201, { data: { activation: 'email' } }]);
      await first.says(/A mail could not be sent\. It will be retried/);
      await delay(BOOKING_MS);
      await kill(first, place.home);

      const mailbox = await Mailbox.open({ port });
      try {
        const second = await place.home.start(options);
        // Usually within seconds. If the machine paused between the attempt and its recording, the lease must expire first.
        while (mailbox.mailsTo(email).length === 0) await delay(50);
        await delay(TWO_LOOKS_MS);
        expect(mailbox.attempts).toEqual([email]);
        expect(
          (await second.post('/api/auth/local/activate', { token: tokenOf(mailbox.mailsTo(email)[0]!) })).status,
        ).toBe(200);
        expect((await second.post('/api/auth/local/login', { login: email, password: PASSWORD })).status).toBe(200);
        await second.stop();
      } finally {
        await mailbox.close();
      }
    },
    240_000,
  );
});
