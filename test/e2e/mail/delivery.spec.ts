import { JobQueue } from '../../../src/platform/jobs/job-queue.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { type Mail, Mailer } from '../../../src/platform/mail/mailer.port.js';
import { counters } from '../../../src/kernel/metrics.js';
import { until, useMailedApp } from '../../support/mailbox.js';
import { activation, enqueue, LINK, newAddress, notice, pending } from './support/mails.js';

describe('a mail in the outbox', () => {
  const world = useMailedApp();
  const drain = () => world.app.get(JobWorker).drain();

  it('is sent soon after its transaction, completely', async () => {
    const to = newAddress();
    await enqueue(world.app, activation(to, 'Ann Lee'));
    const mail = await world.mailbox.waitFor(to);
    expect(mail.from).toBe('no-reply@lintel.test');
    expect(mail.headers).toMatchObject({
      from: 'Lintel <no-reply@lintel.test>',
      to: `Ann Lee <${to}>`,
      subject: 'Confirm your address for Lintel',
      'auto-submitted': 'auto-generated',
      'message-id': expect.stringMatching(/^<[0-9a-f-]{36}@lintel\.test>$/),
    });
    expect(mail.headers['content-type']).toMatch(/^multipart\/alternative/);
    expect(mail.links[0]).toBe(LINK);
    expect(mail.text).toContain('Hello Ann Lee,');
    expect(mail.text).toContain('24 hours');
    expect(mail.html).toContain(LINK.replaceAll('=', '&#x3D;'));
    await drain();
    expect(await pending(world.app, to)).toBe(0);
    expect(world.mailbox.mailsTo(to)).toHaveLength(1);
  });

  it('is not sent when the transaction is rolled back', async () => {
    const [lost, kept, savepoint] = [newAddress(), newAddress(), newAddress()];
    const failing = world.app.database.transaction(async (manager) => {
      await world.app.get(Mailer).enqueue(manager, activation(lost));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    await world.app.database.transaction(async (manager) => {
      await world.app.get(Mailer).enqueue(manager, activation(kept));
      const inner = manager.transaction(async (nested) => {
        await world.app.get(Mailer).enqueue(nested, activation(savepoint));
        throw new Error('back to the savepoint');
      });
      await expect(inner).rejects.toThrow('back to the savepoint');
      await drain();
      expect(world.mailbox.attempts).not.toContain(kept);
    });
    await world.mailbox.waitFor(kept);
    await drain();
    expect(world.mailbox.attempts).not.toContain(lost);
    expect(world.mailbox.attempts).not.toContain(savepoint);
  });

  it('is sent soon after the commit of the outer transaction of a savepoint', async () => {
    const to = newAddress();
    await world.app.database.transaction((manager) =>
      manager.transaction((nested) => world.app.get(Mailer).enqueue(nested, activation(to))),
    );
    await world.mailbox.waitFor(to);
  });

  it('is sent when it was created outside of a transaction', async () => {
    const to = newAddress();
    await world.app.get(Mailer).enqueue(world.app.database.manager, notice(to));
    expect((await world.mailbox.waitFor(to)).subject).toBe('The password of your account at Lintel was changed');
  });

  it('is rejected with an unknown template, because no retry would help', async () => {
    for (const template of ['acme-shipped', 'layout', 'constructor', ''] as const) {
      const mail = { ...notice(newAddress()), template } as unknown as Mail;
      await expect(enqueue(world.app, mail)).rejects.toThrow(
        `The mail template "${template}" does not exist. Known templates: activation, recovery, otp,`,
      );
      expect(await pending(world.app, mail.to)).toBe(0);
    }
  });

  it('does not reveal its link, code or name while it is queued', async () => {
    world.mailbox.behave('defer-recipient');
    const to = newAddress();
    await enqueue(world.app, activation(to, 'Ann Lee'));
    await enqueue(world.app, { template: 'otp', to, variables: { code: '408213', expiresInMinutes: 5 } });
    await drain();
    const rows = await world.app.sql(`SELECT * FROM background_jobs WHERE payload ->> 'recipient' = $1`, [to]);
    expect(rows).toHaveLength(2);
    const dump = rows
      .map((row) =>
        Object.values(row)
          .map((value) => (value instanceof Date ? value.toISOString() : JSON.stringify(value)))
          .join(' '),
      )
      .join('\n');
    expect(dump).toContain(to);
    expect(dump).not.toMatch(/lintel\.test|token|q8TzVb2m|408213|Ann|"link"/);
    expect(world.app.log.join('\n')).not.toMatch(/q8TzVb2m|408213/);
  });

  it('cannot be moved to another recipient, nor its content to another row', async () => {
    world.mailbox.behave('defer-recipient');
    const [victim, attacker] = [newAddress(), newAddress()];
    await enqueue(world.app, activation(victim));
    await enqueue(world.app, activation(attacker));
    await drain();
    await world.app.sql(
      `UPDATE background_jobs SET payload = payload || (SELECT jsonb_build_object('sealedContent', payload -> 'sealedContent')
         FROM background_jobs WHERE payload ->> 'recipient' = $1) WHERE payload ->> 'recipient' = $2`,
      [victim, attacker],
    );
    await world.app.sql(
      `UPDATE background_jobs SET payload = payload || jsonb_build_object('recipient', $2::text) WHERE payload ->> 'recipient' = $1`,
      [victim, attacker],
    );
    world.mailbox.behave('accept');
    world.app.clock.advance(60);
    await drain();
    expect(await pending(world.app, attacker)).toBe(0);
    expect(world.mailbox.mailsTo(attacker)).toEqual([]);
    expect(world.app.log.filter((line) => line.includes('"outcome":"unreadable"'))).toHaveLength(2);
  });

  it('contains no header, paragraph, markup or link from a name or address', async () => {
    const names = [
      'Ann\r\nX-Evil: 1\r\n\r\nBuy',
      'Ann\r\nBcc: evil@evil.example\r\n\r\nBuy',
      'Ann\u2028X-Evil: 1',
      '"Ann" <evil@evil.example>,',
    ];
    for (const name of names) {
      const to = newAddress();
      await enqueue(world.app, activation(to, name));
      const mail = await world.mailbox.waitFor(to);
      expect(mail.to).toEqual([to]);
      expect(Object.keys(mail.headers)).not.toEqual(expect.arrayContaining(['bcc']));
      expect(Object.keys(mail.headers)).not.toEqual(expect.arrayContaining(['x-evil']));
      expect(mail.raw.split('\r\n\r\n')[0]).not.toMatch(/^(?:bcc|x-evil)/im);
    }
    const to = newAddress();
    await enqueue(world.app, activation(to, `<img src=x onerror="alert(1)">O'Brien & Söhne`));
    const { html, headers } = await world.mailbox.waitFor(to);
    expect(html).toContain('Hello &lt;img src&#x3D;x onerror&#x3D;&quot;alert(1)&quot;&gt;O&#x27;Brien &amp; Söhne,');
    expect(headers['to']).toContain(`<${to}>`);
  });

  it.each([
    'a@example.com, b@example.com',
    'a@example.com;b@example.com',
    'group: a@example.com, b@example.com;',
    'Ann <a@example.com>',
    '"a@evil.example"@example.com',
    'a@example.com\r\nRCPT TO:<b@example.com>',
    'a@example.com>\r\nDATA',
    '',
  ])('is not sent to an address like %j', async (to) => {
    const before = world.mailbox.attempts.length;
    await enqueue(world.app, activation(to));
    await drain();
    expect(world.mailbox.attempts).toHaveLength(before);
    expect(await pending(world.app, to)).toBe(0);
  });

  it('is sent once the database is back, and the outage is logged once', async () => {
    const away = jest.spyOn(world.app.get(JobQueue), 'claim').mockRejectedValue(new Error('no connection'));
    const to = newAddress();
    await enqueue(world.app, activation(to));
    await until(() => away.mock.calls.length >= 3, 'three looks');
    away.mockRestore();
    await world.mailbox.waitFor(to);
    expect(world.app.log.filter((line) => line.includes('The jobs cannot be read'))).toHaveLength(1);
  });

  it('does not delay or fail the request that created it, whatever the mail server does', async () => {
    world.mailbox.behave('hang');
    const addresses = Array.from({ length: 20 }, newAddress);
    await Promise.all(addresses.map((to) => enqueue(world.app, activation(to))));
    await until(() => world.mailbox.attempts.length >= 5, 'mails in hand');
    await world.app.asGuest().get('/api/auth/methods').expect(200);
    expect(await pending(world.app)).toBeGreaterThanOrEqual(20);
  });

  it('is counted in the metrics', async () => {
    const mails = counters().find(({ definition }) => definition.name === 'lintel_mails_total');
    const count = (outcome: string): number | undefined =>
      mails?.readings().find(({ labels }) => labels?.['template'] === 'activation' && labels['outcome'] === outcome)
        ?.value;
    expect(count('sent')).toBeGreaterThan(0);
    expect(count('refused')).toBeGreaterThanOrEqual(8);
  });
});
