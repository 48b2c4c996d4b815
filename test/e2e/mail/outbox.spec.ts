import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { personWith } from '../../support/content-fixture.js';
import { useMailedApp } from '../../support/mailbox.js';
import { signedIn } from '../../support/people.js';
import type { TestClient } from '../../support/test-client.js';
import { activation, enqueue, LINK, newAddress, notice } from './support/mails.js';

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly recipient: string;
  readonly attempts: number;
  readonly fault: string | null;
  readonly due_at: string | null;
}

describe('GET /api/mails, POST /api/mails/{id}/retry and POST /api/mails/test', () => {
  const world = useMailedApp({ env: { RATE_LIMIT_ENABLED: 'true' } });
  const drain = (): Promise<void> => world.app.get(JobWorker).drain();
  let operator: TestClient;
  const list = async (query = ''): Promise<{ items: Listed[]; next_cursor: string | null }> =>
    ((await operator.get(`/api/mails${query}`).expect(200)).body as { data: { items: Listed[]; next_cursor: null } })
      .data;
  const mailTo = async (to: string, query = ''): Promise<Listed> =>
    (await list(query)).items.find(({ recipient }) => recipient === to)!;
  const retry = (id: string) => operator.post(`/api/mails/${id}/retry`);

  beforeAll(async () => {
    operator = (await personWith(world.app, [{ resource: 'mails.*', value: 'allow' }])).client;
  });

  it('lists pending mails with their error, without content, and sends one immediately on request', async () => {
    world.mailbox.behave('defer-recipient');
    const to = newAddress();
    await enqueue(world.app, activation(to));
    await drain();
    const mail = await mailTo(to, '?state=pending');
    expect(mail).toMatchObject({
      state: 'pending',
      attempts: 1,
      fault: expect.any(String),
      due_at: expect.any(String),
    });
    expect(JSON.stringify(mail)).not.toContain(LINK);
    expect(Object.keys(mail).sort()).toEqual(
      ['attempts', 'created_at', 'due_at', 'fault', 'id', 'recipient', 'state', 'template'].sort(),
    );
    await drain();
    expect(world.mailbox.mailsTo(to)).toHaveLength(0);
    world.mailbox.behave('accept');
    await retry(mail.id).expect(200);
    await drain();
    await world.mailbox.waitFor(to);
    expect(await mailTo(to)).toBeUndefined();
    expect((await retry(mail.id).expect(404)).body.data.error).toBe('mail_not_found');
  });

  it('lists failed mails, and retries one like a new mail', async () => {
    world.mailbox.behave('refuse-recipient');
    const to = newAddress();
    await enqueue(world.app, notice(to));
    await drain();
    const mail = await mailTo(to, '?state=failed');
    expect(mail).toMatchObject({ state: 'failed', due_at: null, fault: expect.any(String) });
    expect(await mailTo(to, '?state=pending')).toBeUndefined();
    world.mailbox.behave('accept');
    await retry(mail.id).expect(200);
    await world.mailbox.waitFor(to);
    expect(world.mailbox.mailsTo(to)).toHaveLength(1);
  });

  it('sends one mail for 16 concurrent requests', async () => {
    world.mailbox.behave('defer-recipient');
    const to = newAddress();
    await enqueue(world.app, notice(to));
    await drain();
    const { id } = await mailTo(to);
    world.mailbox.behave('accept');
    const answers = await Promise.all(Array.from({ length: 16 }, () => retry(id)));
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
    await drain();
    await world.mailbox.waitFor(to);
    expect(world.mailbox.mailsTo(to)).toHaveLength(1);
    const events = await world.app.sql(`SELECT DISTINCT action, outcome FROM audit_events WHERE resource = $1`, [
      `mail:${id}`,
    ]);
    expect(events).toEqual([{ action: 'mail.retry', outcome: 'success' }]);
  });

  it('pages through all mails by cursor', async () => {
    world.mailbox.behave('defer-recipient');
    const people = Array.from({ length: 60 }, () => newAddress());
    for (const to of people) await enqueue(world.app, notice(to));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof list>> = await list(cursor === '' ? '' : `?cursor=${cursor}`);
      seen.push(...page.items.map(({ recipient }) => recipient));
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(people.every((to) => seen.includes(to))).toBe(true);
    await drain();
  });

  it('rejects unknown ids and unknown parameters', async () => {
    const [job] = await world.app.sql<{ id: string }>(
      `SELECT id FROM background_jobs WHERE kind <> 'mail.send' LIMIT 1`,
    );
    for (const id of [job!.id, 'x', '01900000-0000-7000-8000-000000000001', "1'; DROP TABLE users"])
      expect((await retry(encodeURIComponent(id))).status).toBe(404);
    for (const query of ['state=sent', 'state=', 'cursor=1', 'state=failed&state=pending'])
      expect([query, (await operator.get(`/api/mails?${query}`)).body.data.error]).toEqual([
        query,
        'validation_failed',
      ]);
  });

  it('sends a test mail in the language of the caller, and audits the caller', async () => {
    world.mailbox.behave('accept');
    const to = newAddress();
    await operator.post('/api/mails/test').set('Accept-Language', 'de').send({ email: to }).expect(202);
    await drain();
    const mail = await world.mailbox.waitFor(to);
    expect(mail.subject).toBe('Eine Test-E-Mail von Lintel');
    const events = await world.app.sql(`SELECT resource, outcome FROM audit_events WHERE action = 'mail.test'`);
    expect(events).toEqual([{ resource: 'mails', outcome: 'success' }]);
  });

  it('reports why a test mail was not delivered', async () => {
    world.mailbox.behave('refuse-recipient');
    const to = newAddress();
    await operator.post('/api/mails/test').send({ email: to }).expect(202);
    await drain();
    expect(await mailTo(to)).toMatchObject({ state: 'failed', template: 'test', fault: expect.any(String) });
    world.mailbox.behave('accept');
  });

  it('rejects a test mail to anything but one address, and names the field', async () => {
    const [before] = await world.app.sql(`SELECT count(*)::int AS count FROM background_jobs WHERE kind = 'mail.send'`);
    for (const email of [
      '',
      'ada',
      'a@example.com, b@example.com',
      'a@example.com\r\nBcc: b@example.com',
      ['a@example.com'],
      null,
    ]) {
      const { status, body } = await operator.post('/api/mails/test').send({ email });
      expect([email, status, body.data.error]).toEqual([email, 422, 'validation_failed']);
      expect(JSON.stringify(body.data)).toContain('email');
    }
    expect(await world.app.sql(`SELECT count(*)::int AS count FROM background_jobs WHERE kind = 'mail.send'`)).toEqual([
      before,
    ]);
  });

  it('sends ten test mails per hour for one account, out of 16 concurrent requests', async () => {
    const { client } = await personWith(world.app, [{ resource: 'mails.test', value: 'allow' }]);
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 16 }, () => client.post('/api/mails/test').send({ email })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
  });

  it('needs the permission', async () => {
    const { token } = await signedIn(world.app);
    const other = (await personWith(world.app, [{ resource: 'mails.list', value: 'allow' }])).client;
    expect((await other.post('/api/mails/test').send({ email: newAddress() })).status).toBe(403);
    for (const client of [world.app.asGuest(), world.app.as(token)]) {
      expect([401, 403]).toContain((await client.post('/api/mails/test').send({ email: newAddress() })).status);
      expect([401, 403]).toContain((await client.get('/api/mails')).status);
      expect([401, 403]).toContain((await client.post('/api/mails/01900000-0000-7000-8000-000000000001/retry')).status);
    }
  });
});
