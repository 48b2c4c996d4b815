import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import { activation, enqueue, LINK, newAddress, pending } from './support/mails.js';

describe('without MAIL_URL in production', () => {
  const AUTH = JSON.stringify({ providers: { local: { activation_method: 'auto' } } });
  const world = useTestApp({ env: { NODE_ENV: 'production', AUTH } });

  it('no mail is queued, stored or logged, and the start reports it', async () => {
    await enqueue(world.app, activation(newAddress()));
    await world.app.get(JobWorker).drain();
    expect(await pending(world.app)).toBe(0);
    expect(existsSync(join(world.app.config.dataDir, 'mail'))).toBe(false);
    const log = world.app.log.join('\n');
    expect(log).toContain('MAIL_URL is not set, so mail is disabled.');
    expect(log).not.toContain(LINK);
  });

  it('the list of mails reports that nothing is sent', async () => {
    const { client } = await personWith(world.app, [{ resource: 'mails.list', value: 'allow' }]);
    expect((await client.get('/api/mails').expect(200)).body.data).toMatchObject({ delivery: 'off', items: [] });
  });

  it('a test mail is rejected with the reason', async () => {
    const { client } = await personWith(world.app, [{ resource: 'mails.test', value: 'allow' }]);
    const { status, body } = await client.post('/api/mails/test').send({ email: newAddress() });
    expect([status, body.data.error]).toEqual([409, 'mail_off']);
  });
});
