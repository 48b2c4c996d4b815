import { connectionFault } from '../../../src/platform/database/database-faults.js';
import { JobQueue, LEASE_MS } from '../../../src/platform/jobs/job-queue.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { TEST_ENVIRONMENT } from '../../../src/testing/start-app.js';
import { type MailedApp, until, useMailedApp } from '../../support/mailbox.js';
import { PASSWORD } from '../../support/people.js';
import { Service } from '../../support/service.js';
import { signUp } from '../../support/service-users.js';
import { enqueue, newAddress, notice, pending } from './support/mails.js';

const APP_KEY = 'one key for every process of this test';
/** With this setting, each sign-up commits a mail. */
const AUTH = JSON.stringify({ providers: { local: { activation_method: 'email' } } });
/** Starts a separate service that commits a mail, and kills it once `reached` returns true. */
async function killedService(world: MailedApp, to: string, reached: () => boolean): Promise<void> {
  // The service in this process must not send the mail.
  const idle = jest.spyOn(world.app.get(JobWorker), 'wake').mockReturnValue(undefined);
  const { address } = world.app.connection;
  const { APP_URL } = TEST_ENVIRONMENT;
  const env = { APP_KEY, APP_URL, AUTH, MAIL_URL: world.mailbox.url, DATA_DIR: world.app.config.dataDir };
  const service = new Service({ env: { ...env, DATABASE_URL: address.url } });
  await service.ready();
  await signUp(service, { email: to, password: PASSWORD });
  await until(reached, 'the moment to kill');
  service.signal('SIGKILL');
  await service.exit;
  idle.mockRestore();
}

describe('a service that is killed before sending a mail', () => {
  const world = useMailedApp({ env: { APP_KEY, AUTH } });

  it('sends the committed mail after the restart', async () => {
    const to = newAddress();
    world.mailbox.behave('hang');
    await killedService(world, to, () => world.mailbox.attempts.includes(to));
    world.mailbox.behave('accept');
    expect(await pending(world.app, to)).toBe(1);
    world.app.clock.advance(LEASE_MS / 1_000 + 1);
    await world.mailbox.waitFor(to);
    await world.app.get(JobWorker).drain();
    expect(world.mailbox.mailsTo(to)).toHaveLength(1);
    expect(await pending(world.app, to)).toBe(0);
  });
});

describe('a service that is killed between sending and recording', () => {
  const world = useMailedApp({ env: { APP_KEY, AUTH } });

  it('sends a mail at most once more, recognisable by its Message-ID', async () => {
    const to = newAddress();
    world.mailbox.behave('take-silently');
    await killedService(world, to, () => world.mailbox.mailsTo(to).length === 1);
    world.mailbox.behave('accept');
    await world.app.get(JobWorker).drain();
    expect(world.mailbox.mailsTo(to)).toHaveLength(1);
    world.app.clock.advance(LEASE_MS / 1_000 + 1);
    await world.mailbox.waitFor(to, 2);
    world.app.clock.advance(86_400);
    await world.app.get(JobWorker).drain();
    expect(world.mailbox.mailsTo(to)).toHaveLength(2);
    expect(new Set(world.mailbox.mailsTo(to).map(({ headers }) => headers['message-id'])).size).toBe(1);
  });

  it('waits for the database to record a sent mail, so that it is not sent again', async () => {
    const to = newAddress();
    const outbox = world.app.get(JobQueue);
    const remove = jest.spyOn(outbox, 'remove');
    for (let time = 0; time < 3; time += 1) remove.mockRejectedValueOnce(connectionFault(new Error('away')));
    await enqueue(world.app, notice(to));
    await until(async () => (await pending(world.app, to)) === 0, 'it to be booked');
    expect(remove).toHaveBeenCalledTimes(4);
    world.app.clock.advance(LEASE_MS / 1_000 + 1);
    await world.app.get(JobWorker).drain();
    expect(world.mailbox.mailsTo(to)).toHaveLength(1);
    remove.mockRestore();
  });
});
