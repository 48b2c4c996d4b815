import { Injectable } from '@nestjs/common';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import {
  MailRefused,
  MailTransport,
  type OutgoingMail,
} from '../../../src/platform/mail/transports/mail-transport.port.js';
import { PASSWORD } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import { activation, enqueue, LINK, newAddress, notice, pending } from './support/mails.js';

/** A mail service with an HTTP API, on loopback. */
class MailService {
  readonly taken: OutgoingMail[] = [];
  readonly attempts: string[] = [];
  status = 202;
  private readonly server: Server = createServer((request, response) => {
    void json(request).then((body) => {
      const mail = body as OutgoingMail;
      this.attempts.push(mail.to.address);
      if (this.status === 202) this.taken.push(mail);
      response.writeHead(this.status).end(`${mail.to.address} ${LINK}`);
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const service = new MailService();

@Injectable()
class HttpTransport extends MailTransport {
  async send(mail: OutgoingMail): Promise<void> {
    const answer = await fetch(service.url, { method: 'POST', body: JSON.stringify(mail) });
    if (answer.status === 422) throw new MailRefused(`422 ${await answer.text()}`);
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

const PORTS = { mailTransport: HttpTransport };

beforeAll(() => service.start());
afterAll(() => service.stop());

describe('a custom mail transport', () => {
  const world = useTestApp({
    ports: PORTS,
    env: { NODE_ENV: 'production', AUTH_OTP_ENABLED: 'true', APP_URL: 'https://lintel.test' },
  });
  const drain = () => world.app.get(JobWorker).drain();
  const mailLog = () => world.app.log.filter((line) => /"context":"Mail"/.test(line)).join('\n');

  beforeEach(() => (service.status = 202));

  it('sends mails in production without MAIL_URL, rendered and addressed', async () => {
    const email = newAddress();
    const account = { email, password: PASSWORD, password_confirmation: PASSWORD };
    await world.app.asGuest().post('/api/auth/local/register', account).expect(201);
    await drain();
    const mail = service.taken.find(({ to }) => to.address === email);
    expect(mail).toMatchObject({
      template: 'activation',
      from: { name: 'Lintel', address: 'no-reply@lintel.test' },
      subject: 'Confirm your address for Lintel',
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    const [, link = ''] = mail?.secrets.find(([name]) => name === 'link') ?? [];
    expect(link).toMatch(/^https:\/\/lintel\.test\//);
    expect(mail?.text).toContain(link);
    expect(mail?.html).toContain('<!doctype html>');
    expect(world.app.log.join('\n')).not.toContain('mail is disabled');
    expect(existsSync(join(world.app.config.dataDir, 'mail'))).toBe(false);
  });

  it('gets a failed mail again with the same id, and the log contains no secret', async () => {
    service.status = 503;
    const to = newAddress();
    await enqueue(world.app, activation(to));
    await drain();
    expect(await pending(world.app, to)).toBe(1);
    service.status = 202;
    world.app.clock.advance(10);
    await drain();
    expect(service.attempts.filter((address) => address === to)).toHaveLength(2);
    expect(await pending(world.app, to)).toBe(0);
    expect(mailLog()).toContain('503');
    expect(mailLog()).not.toContain(to);
    expect(mailLog()).not.toContain(LINK);
    const [row] = service.taken.filter((mail) => mail.to.address === to);
    expect(row?.messageId).toMatch(/^<[0-9a-f-]{36}@lintel\.test>$/);
  });

  it('stops immediately after a permanent rejection, without its message in the log', async () => {
    service.status = 422;
    const to = newAddress();
    await enqueue(world.app, notice(to));
    await drain();
    expect(await pending(world.app, to)).toBe(0);
    expect(service.attempts.filter((address) => address === to)).toHaveLength(1);
    expect(mailLog()).toMatch(/"outcome":"refused"/);
    expect(mailLog()).not.toContain(to);
    expect(mailLog()).not.toContain(LINK);
  });
});

it('stops the start if MAIL_URL contradicts it', async () => {
  await expect(TestApp.start({ ports: PORTS, env: { MAIL_URL: 'smtp://mail.test' } })).rejects.toThrow(
    'MAIL_URL must not be set, because the application has a custom mail transport',
  );
});
