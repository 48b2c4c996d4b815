import { writeFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { MailModule } from '../../../src/platform/mail/mail.module.js';
import {
  assertMail,
  defineMail,
  type Mail,
  Mailer,
  type MailDefinition,
} from '../../../src/platform/mail/mailer.port.js';
import { useMailedApp } from '../../support/mailbox.js';
import { TestApp } from '../../support/test-app.js';
import { newAddress, pending } from './support/mails.js';

const variables = {
  team: { sample: 'Soup' },
  link: { sample: 'https://acme.example/join#3bT9', secret: true },
  seats: { sample: '3', optional: true },
  expiresInMinutes: { sample: '60' },
} as const;
const TEXTS = {
  subject: '{{team}} invites you',
  html: '<p>{{team}}: <a href="{{link}}">join</a> within {{validity}}.{{#if seats}} {{seats}} seats.{{/if}}</p>',
  text: '{{#if name}}{{name}}, {{/if}}join {{team}}: {{link}}',
};
const INVITATION = defineMail('acme-invitation', { ...TEXTS, variables });
const UNKNOWN = defineMail('acme-unknown', { ...TEXTS, variables });

@Module({ imports: [MailModule.forRoot({ mails: [INVITATION] })] })
class InvitationModule {}

const link = 'https://acme.example/join#secret-of-the-link';
const startWith = async (...mails: MailDefinition[]): Promise<void> => {
  @Module({ imports: [MailModule.forRoot({ mails })] })
  class MailModuleWithName {}
  await (await TestApp.start({ modules: [InvitationModule, MailModuleWithName] })).stop();
};

describe('a custom mail of a team', () => {
  const world = useMailedApp({ modules: [InvitationModule] });
  const send = (mail: unknown) =>
    world.app.database.transaction((manager) => world.app.get(Mailer).enqueue(manager, mail as Mail));
  const invite = (to: string, values = {}) =>
    send({
      template: INVITATION,
      to,
      name: 'Ann',
      variables: { team: 'Soup', link, expiresInMinutes: 60, ...values },
    });

  it('is sent in the layout, in three parts, with each value as text', async () => {
    const to = newAddress();
    await invite(to, { team: '<b>Soup</b>\r\nBcc: all@example.com', seats: 3 });
    const mail = await world.mailTo(to);
    expect(mail.subject).toBe('<b>Soup</b> Bcc: all@example.com invites you');
    const html = mail.html.replace(/\s/g, '');
    expect(html).toContain('&lt;b&gt;Soup&lt;/b&gt;Bcc:all@example.com:<ahref="https://acme.example/join#secret');
    expect(html).toContain('within1hour.3seats.');
    expect(html).toMatch(/^<!doctypehtml>/i);
    expect(mail.text).toMatch(/^Ann, join <b>Soup<\/b> Bcc: all@example.com: https:/m);
    expect(mail.to).toEqual([to]);
  });

  it('is queued encrypted, retried, and dropped when its content expires', async () => {
    const [to, late] = [newAddress(), newAddress()];
    world.mailbox.behave('defer-recipient');
    await invite(to);
    await invite(late, { expiresInMinutes: 1 });
    await world.app.get(JobWorker).drain();
    expect(JSON.stringify(await world.app.sql('SELECT * FROM background_jobs'))).not.toContain('secret-of');
    expect(world.app.log.join('')).not.toContain('secret-of');
    world.mailbox.behave('accept');
    world.app.clock.advance(61);
    await world.app.get(JobWorker).drain();
    expect([world.mailbox.mailsTo(to).length, world.mailbox.mailsTo(late).length]).toEqual([1, 0]);
    expect(await pending(world.app)).toBe(0);
  });

  it('is not sent if its transaction is rolled back', async () => {
    const to = newAddress();
    const work = world.app.database.transaction(async (manager) => {
      await world.app.get(Mailer).enqueue(manager, {
        template: INVITATION,
        to,
        variables: { team: 'Soup', link, expiresInMinutes: 60 },
      });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await pending(world.app, to)).toBe(0);
  });

  it.each([
    [
      'no module has it',
      { template: UNKNOWN },
      /^The mail template "acme-unknown" does not exist. Known templates: activation,.*acme-invitation\.$/,
    ],
    [
      'it is named and not given',
      { template: 'acme-invitation' },
      /^The mail template "acme-invitation" does not exist/,
    ],
    ['its name is nobody’s', { template: 'toString' }, /^The mail template "toString" does not exist/],
    [
      'a variable is missing',
      { variables: { link, expiresInMinutes: 60 } },
      /^The mail acme-invitation requires the variable team\.$/,
    ],
    [
      'a variable is null',
      { variables: { team: null, link, expiresInMinutes: 60 } },
      /^The variable team of the mail acme-invitation must be a text or a number\.$/,
    ],
    [
      'a variable is an object',
      { variables: { team: {}, link, expiresInMinutes: 60 } },
      /^The variable team .* must be/,
    ],
    [
      'a variable is not its own',
      { variables: { team: 'a', link, expiresInMinutes: 60, code: '1' } },
      /^The mail acme-invitation has no variable code\.$/,
    ],
    [
      'a variable is everybody’s',
      { variables: { team: 'a', link, expiresInMinutes: 60, appName: 'x' } },
      /^The mail acme-invitation has no variable appName\.$/,
    ],
    [
      'one of ours lacks a variable',
      { template: 'otp', variables: { expiresInMinutes: 5 } },
      /^The mail otp requires the variable code\.$/,
    ],
  ])('is rejected when it is enqueued if %s', async (_what, given, message) => {
    const to = newAddress();
    const mail = { template: INVITATION, to, variables: { team: 'a', link, expiresInMinutes: 60 }, ...given };
    await expect(send(mail)).rejects.toThrow(message);
    expect(await pending(world.app, to)).toBe(0);
  });
});

describe('an invalid mail', () => {
  it.each(['', 'Acme', 'acme invitation', '../layout', 'acme_invitation', 'a'.repeat(61)])(
    'has the name %j',
    (name) => {
      expect(() => assertMail(defineMail(name, { ...TEXTS, variables }))).toThrow(
        /^The mail name .* is not valid\. .* such as acme-invitation\.$/,
      );
    },
  );

  it.each(['email', 'body', 'validity', '__proto__x', 'team.name'])('has the variable %j', (name) => {
    const mail = defineMail('acme', { ...TEXTS, variables: { [name]: { sample: 'x' } } });
    expect(() => assertMail(mail)).toThrow(/^The variable .* of the mail acme is not valid/);
  });

  it.each([
    ['is of ours', 'otp', 'Two mails have the name otp. Names must be unique.'],
    ['is the layout’s', 'layout', 'Two mails have the name layout. Names must be unique.'],
    ['is there twice', 'acme-invitation', 'Two mails have the name acme-invitation. Names must be unique.'],
  ])('stops the start if its name %s', async (_what, name, message) => {
    await expect(startWith(defineMail(name, { ...TEXTS, variables }))).rejects.toThrow(message);
  });

  it.each([
    ['uses an undeclared variable', { html: '{{tem}} {{link}}' }, 'line 1 uses the unknown variable "tem"'],
    ['cannot be parsed', { text: '{{link' }, 'cannot be parsed'],
    ['leaves a value unescaped', { html: '{{{team}}} {{link}}' }, 'leaves {{{team}}} unescaped'],
    ['puts its link into the subject', { subject: '{{link}}' }, 'has {{link}} in the subject'],
    ['forgets its link', { text: 'join' }, 'shows none of {{link}}'],
    ['is empty', { subject: '{{#unless team}}x{{/unless}}' }, 'renders to nothing'],
  ])('stops the start if it %s', async (_what, texts, message) => {
    await expect(startWith(defineMail('acme-broken', { ...TEXTS, ...texts, variables }))).rejects.toThrow(message);
  });
});

describe('the texts of a custom mail', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-own-mails-'));
  mkdirSync(join(dataDir, 'templates'));
  writeFileSync(join(dataDir, 'templates/acme-invitation.subject.hbs'), 'Come to {{team}}');
  const world = useMailedApp({ modules: [InvitationModule], env: { DATA_DIR: dataDir } });

  it('are replaced by files of the operator, like built-in ones', async () => {
    const to = newAddress();
    await world.app.database.transaction((manager) =>
      world.app.get(Mailer).enqueue(manager, {
        template: INVITATION,
        to,
        variables: { team: 'Soup', link, expiresInMinutes: 60 },
      }),
    );
    expect((await world.mailTo(to)).subject).toBe('Come to Soup');
  });
});
