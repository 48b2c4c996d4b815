import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LANGUAGES } from '../../../kernel/text/language.js';
import { ConfigError } from '../../config/parse-config.js';
import { mailContext } from '../mail-context.js';
import {
  COMMON_VARIABLES,
  TEMPLATE_NAMES,
  TEMPLATE_PARTS,
  type TemplatePart,
  variablesOf,
} from './mail-template.table.js';
import { MailTemplates } from './mail-templates.js';
import { defineMail, type MailTemplate } from '../mailer.port.js';
import type { TemplateOverrides } from './template-sources.js';

const NOWHERE = join(tmpdir(), 'lintel-no-such-directory');
const PARTS = { appName: 'Lintel', appUrl: 'https://lintel.test', email: 'ann@example.com' };

describe('the built-in templates', () => {
  const templates = MailTemplates.load(NOWHERE);

  it.each(TEMPLATE_NAMES)('%s has a subject, HTML and text, and loads nothing from other servers', (name) => {
    const { subject, html, text } = templates.sample(name);
    expect(subject).toContain('Lintel');
    expect(html).toContain('<!doctype html>');
    expect(html).not.toMatch(/<(?:img|script|link|iframe|form|object)\b|@import|url\(|src=/i);
    expect(html).not.toContain('{{');
    for (const [variable, { sample, secret }] of Object.entries(variablesOf(name))) {
      if (!secret) continue;
      expect(subject).not.toContain(sample);
      if (variable === 'code' || !variablesOf(name)['code']) expect(text).toContain(sample);
    }
    expect(text).not.toMatch(/<|&#|&amp;|\{\{|\n{4,}/);
  });

  it.each(TEMPLATE_NAMES)('%s has no salutation without a name', (name) => {
    const variables = {
      link: 'https://lintel.test/go',
      cancelLink: 'https://lintel.test/no',
      newEmail: 'b@example.com',
      expiresInMinutes: 60,
    };
    const { html, text } = templates.render(
      name,
      mailContext({ ...PARTS, variables: variables as never, remainingMs: 3_600_000 }),
    );
    expect(html).toContain('<p>Hello,</p>');
    expect(text).toMatch(/^Hello,\n/);
  });

  it('pass the validation of custom texts', () => {
    expect(() => MailTemplates.load(join(__dirname, '../templates'))).not.toThrow();
  });

  describe.each(LANGUAGES.slice(1))('in %s', (language) => {
    const pieces = (name: MailTemplate | 'layout', part: TemplatePart, of: string): string =>
      readFileSync(join(__dirname, '../templates', of === 'en' ? '' : of, `${name}.${part}.hbs`), 'utf8');
    const parts = (name: string): TemplatePart[] => (name === 'layout' ? ['html', 'text'] : [...TEMPLATE_PARTS]);
    const NAMES = [...TEMPLATE_NAMES, 'layout'] as const;

    it('are complete', () => {
      const files = readdirSync(join(__dirname, '../templates', language)).sort();
      expect(files).toEqual(NAMES.flatMap((name) => parts(name).map((part) => `${name}.${part}.hbs`)).sort());
    });

    it.each(NAMES)('%s has the values, conditions and markup of the English one', (name) => {
      for (const part of parts(name)) {
        const [own, english] = [pieces(name, part, language), pieces(name, part, 'en')];
        const braces = (text: string): string[] => (text.match(/\{\{[^}]+\}\}/g) ?? []).sort();
        expect(braces(own)).toEqual(braces(english));
        expect(own.match(/<[^>]+>/g)).toEqual(english.match(/<[^>]+>/g));
        expect(own).not.toBe(english);
      }
    });
  });

  it('use the requested language, if available', () => {
    const german = templates.sample('activation', 'de');
    expect(german.subject).toBe('Bestätigen Sie Ihre Adresse für Lintel');
    expect(german.html).toContain('<html lang="de" dir="ltr">');
    expect(german.html).toContain('gesendet von Lintel');
    expect(german.text).toContain('An ann@example.com gesendet von Lintel');
    expect(templates.languageOf('activation', [null, 'fr', 'de-AT', 'en'])).toBe('de');
    expect(templates.languageOf('activation', ['fr'])).toBeNull();
    expect(templates.sample('activation', 'fr').subject).toBe('Confirm your address for Lintel');
    expect(templates.sample('activation', 'ar').html).toContain('<html lang="ar" dir="rtl">');
  });

  it('escape values in HTML, not in text', () => {
    const variables = { link: 'https://lintel.test/go?a=1&token=x"><b>', expiresInMinutes: 60 };
    const parts = {
      ...PARTS,
      appName: 'R&D <lab>',
      name: '<b onload="x">Ann\' & {{code}}',
      variables,
      remainingMs: 60_000,
    };
    const { subject, html, text } = templates.render('activation', mailContext(parts));
    expect(html).toContain('Hello &lt;b onload&#x3D;&quot;x&quot;&gt;Ann&#x27; &amp; {{code}},');
    expect(html).not.toMatch(/<b>|<b onload|<lab>/);
    expect(text).toContain('Hello <b onload="x">Ann\' & {{code}},');
    expect(text).toContain(variables.link);
    expect(subject).toBe('Confirm your address for R&D <lab>');
  });

  it.each(TEMPLATE_NAMES)('%s creates no link from a name or other text of a user', (name) => {
    const texts = [
      'http://evil.example/click',
      'see evil.example',
      'www.evil.example',
      'a@evil.example',
      'evil．example',
    ];
    for (const language of LANGUAGES) {
      for (const text of texts) {
        const rows = Object.entries(variablesOf(name)).filter(([row]) => !Object.hasOwn(COMMON_VARIABLES, row));
        const variables = Object.fromEntries(
          rows.map(([row, { sample, untrusted }]) => [row, untrusted ? text : sample]),
        );
        const parts = { ...PARTS, name: text, variables, untrusted: templates.untrustedOf(name), remainingMs: 60_000 };
        const { subject, html, text: plain } = templates.render(name, mailContext(parts as never), language);
        for (const part of [subject, html, plain]) expect(part.normalize('NFKC')).not.toMatch(/evil\.example/);
      }
    }
  });

  it('cannot get a second line or header from a value', () => {
    const variables = { code: '1\r\n2', expiresInMinutes: 5 };
    const name = 'Ann\r\n\r\nYour account is closed\r\nBcc: all';
    const context = mailContext({ ...PARTS, appName: 'Lintel\r\nBcc: all', name, variables, remainingMs: 300_000 });
    const { subject, text } = templates.render('otp', context);
    expect(subject).toBe('Your code for Lintel Bcc: all');
    expect(text).toMatch(/^Hello Ann Your account is closed Bcc: all,\n/);
    expect(text).toContain('\n    1 2\n');
  });
});

describe('replaced templates', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lintel-templates-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const file = (name: string, text: string) => writeFileSync(join(directory, name), text);
  const faultsOf = (overrides?: TemplateOverrides): readonly string[] => {
    try {
      MailTemplates.load(directory, overrides);
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
    return [];
  };

  it('prefer a file to an option to the built-in text, part by part', () => {
    file('otp.subject.hbs', 'File subject for {{appName}}\n');
    const templates = MailTemplates.load(directory, {
      otp: { subject: 'Option subject', text: 'Option text {{code}}' },
      layout: { html: '<main>{{body}}</main>' },
    });
    const { subject, html, text } = templates.sample('otp');
    expect(subject).toBe('File subject for Lintel');
    expect(text).toMatch(/^Option text 408213\n\n--/);
    expect(html).toMatch(/^<main><h1>Your code to sign in<\/h1>/);
  });

  it.each([
    ['activation.html.hbs', '{{#if link}}{{link}}', 'cannot be parsed: Parse error on line 1'],
    [
      'activation.html.hbs',
      '{{link}}\n{{lnk}}',
      'line 2 uses the unknown variable "lnk"; known variables are appName, appUrl',
    ],
    ['activation.html.hbs', '<a href="{{{link}}}">', 'line 1 leaves {{{link}}} unescaped; use {{link}}'],
    ['activation.html.hbs', '{{&link}}', 'unescaped'],
    ['activation.html.hbs', 'Welcome', 'shows none of {{link}}, {{code}}'],
    ['activation.text.hbs', '{{#if link}}Welcome{{/if}}', 'shows none of {{link}}, {{code}}'],
    ['email-change-notice.text.hbs', '{{newEmail}}', 'shows none of {{cancelLink}}'],
    ['otp.subject.hbs', 'Code {{code}}', 'has {{code}} in the subject'],
    ['recovery.subject.hbs', '{{#if name}}{{link}}{{/if}}', 'has {{link}} in the subject'],
    ['otp.subject.hbs', ' \n', 'renders to nothing'],
    ['otp.html.hbs', '{{code}}{{> other}}', 'line 1 has a partial'],
    ['otp.html.hbs', '{{code}}{{#each code}}{{/each}}', 'line 1 has the block "each"'],
    ['otp.html.hbs', '{{code}}{{lookup this "constructor"}}', 'line 1 calls the helper "lookup"'],
    ['otp.html.hbs', '{{code}}{{this.constructor.name}}', 'uses the unknown variable "this.constructor.name"'],
    ['otp.html.hbs', '{{code}}{{constructor}}', 'uses the unknown variable "constructor"'],
    ['otp.html.hbs', '{{code}}{{__proto__}}', 'uses the unknown variable "__proto__"'],
    ['otp.html.hbs', '{{code}}{{../x}}{{@root}}', 'uses the unknown variable "../x"'],
    ['otp.html.hbs', '{{code}}{{#if (lookup . "x")}}{{/if}}', 'uses the unknown variable "SubExpression"'],
    ['layout.html.hbs', '<p>{{appName}}</p>', 'shows none of {{body}}'],
    ['layout.text.hbs', '{{body}}{{link}}', 'uses the unknown variable "link"'],
    ['activaton.html.hbs', '{{link}}', 'is not a template; known templates are activation.subject.hbs'],
    ['layout.subject.hbs', '{{subject}}', 'is not a template'],
  ])('report %s at the start if it contains %j', (name, text, fault) => {
    file(name, text);
    const faults = faultsOf();
    expect(faults.join('\n')).toContain(fault);
    expect(faults.every((line) => line.includes(join(directory, name)))).toBe(true);
  });

  it('apply to every language without its own text', () => {
    mkdirSync(join(directory, 'de'));
    file('otp.subject.hbs', 'Subject for all');
    file('de/otp.text.hbs', 'Deutscher Text {{code}}');
    const languages = { de: { subject: 'Deutscher Betreff' }, 'pt-br': { html: '<b>{{code}}</b> {{validity}}' } };
    const templates = MailTemplates.load(directory, { otp: { html: 'everybody {{code}}', languages } });
    const render = (language: string) => {
      const { subject, html, text } = templates.sample('otp', language);
      return [subject, /everybody|<b>/.exec(html)?.[0], text.split('\n')[0]];
    };
    expect(render('en')).toEqual(['Subject for all', 'everybody', 'Hello Ann Lee,']);
    expect(render('de')).toEqual(['Deutscher Betreff', 'everybody', 'Deutscher Text 408213']);
    expect(render('pt-BR')).toEqual(['Subject for all', '<b>', 'Hello Ann Lee,']);
    expect(templates.languageOf('otp', ['pt-BR'])).toBe('pt-BR');
  });

  it('report errors of a language, and unknown languages', () => {
    mkdirSync(join(directory, 'de'));
    file('de/otp.html.hbs', '{{oops}} {{code}}');
    file('de/opt.html.hbs', '{{code}}');
    const faults = faultsOf({ otp: { languages: { 'not a tag': { subject: 'x' }, fr: { text: '{{nope}}' } } } }).join(
      '\n',
    );
    expect(faults).toContain(`${join(directory, 'de', 'otp.html.hbs')} line 1 uses the unknown variable "oops"`);
    expect(faults).toContain(`${join(directory, 'de', 'opt.html.hbs')} is not a template`);
    expect(faults).toContain('the option templates.otp.languages.not a tag.subject is not a template');
    expect(faults).toContain('the option templates.otp.languages.fr.text line 1 uses the unknown variable "nope"');
  });

  it('a custom mail has its own languages', () => {
    const texts = (word: string) => ({ subject: word, html: `<p>${word}</p>`, text: word });
    const greeting = defineMail('acme-hello', {
      ...texts('Hello'),
      languages: { fr: texts('Bonjour') },
      variables: {},
    });
    const templates = MailTemplates.load(directory, {}, [greeting]);
    expect(['fr', 'de', 'en'].map((language) => templates.sample('acme-hello', language).subject)).toEqual([
      'Bonjour',
      'Hello',
      'Hello',
    ]);
    expect(templates.languageOf('acme-hello', ['de', 'fr-CA'])).toBe('fr');
  });

  it('report all errors, of options too', () => {
    file('otp.html.hbs', '{{');
    const overrides = { recovery: { html: '{{oops}}{{link}}' }, welcome: { html: 'x' }, layout: { subject: 'x' } };
    const faults = faultsOf(overrides as never).join('\n');
    expect(faults).toContain(join(directory, 'otp.html.hbs'));
    expect(faults).toContain('the option templates.recovery.html line 1 uses the unknown variable "oops"');
    expect(faults).toContain('the option templates.welcome.html is not a template');
    expect(faults).toContain('the option templates.layout.subject is not a template');
  });

  it('allow the body of a layout with two or three braces, and ignore other files', () => {
    file('README.md', 'notes');
    for (const layout of ['<i>{{body}}</i>', '<i>{{{body}}}</i>']) {
      file('layout.html.hbs', layout);
      expect(MailTemplates.load(directory).sample('otp').html).toMatch(/^<i><h1>/);
    }
  });
});
