import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Clamd, EICAR, HAS_CLAMD } from '../../support/clamd.js';
import { makeGallery, PNG, readFile, send } from '../../support/file-fixture.js';
import { until } from '../../support/mailbox.js';
import { TestApp } from '../../support/test-app.js';

const described = HAS_CLAMD ? describe : describe.skip;
if (!HAS_CLAMD) process.stdout.write('ClamAV is not tested: there is no clamd (the Debian package clamav-daemon).\n');

const MOST_BYTES = 2_000_000;

described('files scanned by clamd', () => {
  let clamd: Clamd;
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    clamd = await Clamd.start(MOST_BYTES);
    app = await TestApp.start({ env: { FILES_CLAMD: clamd.socket } });
    ({ token } = await makeGallery(app));
  });
  afterAll(async () => {
    await app?.stop();
    await clamd?.stop();
  });

  const sent = async (bytes: Buffer): Promise<string> => {
    const { status, data } = await send(app, bytes, { token });
    expect(status).toBe(201);
    await until(async () => {
      await app.get(JobWorker).drain();
      const open = `SELECT 1 FROM background_jobs WHERE kind = 'files.scan' AND (attempts = 0 OR claim_id IS NOT NULL)`;
      return (await app.sql(open)).length === 0;
    }, 'a verdict');
    return data.id;
  };
  const statusOf = async (id: string): Promise<number> => (await readFile(app, id, { token })).status;

  it('are readable after a clean scan, of any size', async () => {
    for (const bytes of [PNG, Buffer.alloc(1), Buffer.alloc(65_537, 7), Buffer.alloc(1_900_000, 1)])
      expect(await statusOf(await sent(bytes))).toBe(200);
  });

  it('are deleted after a finding, also behind other data', async () => {
    for (const bytes of [EICAR, Buffer.concat([Buffer.alloc(1_000_000, 65), EICAR])])
      expect(await statusOf(await sent(bytes))).toBe(404);
    expect(
      await app.sql(`SELECT changes->'finding'->>'after' AS finding FROM audit_events WHERE action = 'file.refuse'`),
    ).toEqual([{ finding: 'Eicar-Test.UNOFFICIAL' }, { finding: 'Eicar-Test.UNOFFICIAL' }]);
  });

  it('stay blocked if they exceed its limit or it is unavailable', async () => {
    expect(await statusOf(await sent(Buffer.alloc(MOST_BYTES * 3)))).toBe(409);
    await clamd.stop();
    expect(await statusOf(await sent(PNG))).toBe(409);
    expect(await app.sql(`SELECT 1 FROM background_jobs WHERE kind = 'files.scan' AND state = 'due'`)).toHaveLength(2);
  });
});
