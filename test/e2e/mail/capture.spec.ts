import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { readMail } from '../../../src/testing/read-mail.js';
import { personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import { activation, enqueue, LINK, newAddress, pending } from './support/mails.js';

describe('development without MAIL_URL', () => {
  const world = useTestApp();
  const directory = () => join(world.app.config.dataDir, 'mail');

  it('the list of mails reports that they are captured', async () => {
    const { client } = await personWith(world.app, [{ resource: 'mails.list', value: 'allow' }]);
    expect((await client.get('/api/mails').expect(200)).body.data).toMatchObject({ delivery: 'capture' });
  });

  it('each mail becomes a complete .eml file, and its link or code is logged', async () => {
    const to = newAddress();
    await enqueue(world.app, activation(to, 'Ann Lee'));
    await enqueue(world.app, { template: 'otp', to, variables: { code: '408213', expiresInMinutes: 5 } });
    await world.app.get(JobWorker).drain();
    const files = readdirSync(directory()).sort();
    expect(files).toHaveLength(2);
    expect(files).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\d{8}T\d{9}Z-activation-[0-9a-f]{12}\.eml$/),
        expect.stringMatching(/^\d{8}T\d{9}Z-otp-[0-9a-f]{12}\.eml$/),
      ]),
    );
    const path = join(
      directory(),
      files.find((name) => name.includes('activation'))!,
    );
    const mail = readMail(readFileSync(path));
    expect(mail.headers).toMatchObject({ to: `Ann Lee <${to}>`, subject: 'Confirm your address for Lintel' });
    expect(mail.links[0]).toBe(LINK);
    expect(mail.html).toContain('<!doctype html>');
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(statSync(directory()).mode & 0o077).toBe(0);
    const lines = world.app.log.map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 30, msg: `Mail "activation" for ${to} is in ${path}: link ${LINK}` }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 30, msg: expect.stringMatching(/^Mail "otp" for .* code 408213$/) }),
    );
    expect(await pending(world.app)).toBe(0);
  });
});
