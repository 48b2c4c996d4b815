import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MailModule, type MailModuleOptions } from '../../../src/platform/mail/mail.module.js';
import { Mailbox } from '../../support/mailbox.js';
import { Service } from '../../support/service.js';
import { createDatabase } from '../../support/test-server.js';
import { TestApp } from '../../support/test-app.js';
import { activation, enqueue, LINK, newAddress, notice } from './support/mails.js';

describe('replaced templates', () => {
  let mailbox: Mailbox;
  let dataDir: string;
  const start = (options: MailModuleOptions = {}): Promise<TestApp> =>
    TestApp.start({
      env: { MAIL_URL: mailbox.url, DATA_DIR: dataDir, APP_NAME: 'Acme & Sons' },
      modules: [MailModule.forRoot(options)],
    });
  const file = (name: string, text: string): void => {
    mkdirSync(join(dataDir, 'templates'), { recursive: true });
    writeFileSync(join(dataDir, 'templates', name), text);
  };

  beforeEach(async () => {
    mailbox = await Mailbox.open();
    dataDir = mkdtempSync(join(tmpdir(), 'lintel-data-'));
  });
  afterEach(async () => {
    await mailbox.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('are sent instead of the built-in ones, from a file or from a module option', async () => {
    file('activation.subject.hbs', 'Grüß Gott bei {{appName}} ✓\n');
    file('activation.html.hbs', '<h1>Hi {{name}}</h1><a href="{{link}}">los</a>');
    const app = await start({
      templates: {
        activation: { html: 'not used: {{link}}', text: 'Plain {{name}}: {{link}}' },
        'password-changed': { subject: 'Changed at {{appName}}' },
        layout: { html: '<body>{{body}}<p>{{appName}}</p></body>' },
      },
    });
    try {
      const [one, two] = [newAddress(), newAddress()];
      await enqueue(app, activation(one, 'Ann <3'));
      await enqueue(app, notice(two));
      const first = await mailbox.waitFor(one);
      expect(first.subject).toBe('Grüß Gott bei Acme & Sons ✓');
      expect(first.html).toBe(
        `<body><h1>Hi Ann &lt;3</h1><a href="${LINK.replaceAll('=', '&#x3D;')}">los</a><p>Acme &amp; Sons</p></body>`,
      );
      expect(first.text).toMatch(`Plain Ann <3: ${LINK}\n\n--\n`);
      expect((await mailbox.waitFor(two)).subject).toBe('Changed at Acme & Sons');
    } finally {
      await app.stop();
    }
  });

  it('stop the start if they are invalid, all named in one error', async () => {
    file('otp.html.hbs', '{{#if code}}');
    file('otp.subject.hbs', 'Your code: {{code}}');
    file('welcome.html.hbs', 'Hello');
    const database = await createDatabase();
    const env = { MAIL_URL: mailbox.url, DATA_DIR: dataDir, DATABASE_URL: database.address.url };
    const service = new Service({ env });
    expect(await service.exit).toEqual({ code: 1, signal: null });
    await database.drop();
    expect(service.stdout).not.toContain('is ready');
    expect(service.stderr).toContain(`${join(dataDir, 'templates', 'welcome.html.hbs')} is not a template`);
    expect(service.stderr).toContain(
      `${join(dataDir, 'templates', 'otp.subject.hbs')} line 1 has {{code}} in the subject`,
    );
    expect(service.stderr).toContain(`${join(dataDir, 'templates', 'otp.html.hbs')} cannot be parsed`);
    expect(mailbox.attempts).toEqual([]);
  });
});
