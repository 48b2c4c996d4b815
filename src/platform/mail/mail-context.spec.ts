import { displayName, mailContext, oneLine, validityText, withoutLinks } from './mail-context.js';

const PARTS = { appName: 'Lintel', appUrl: 'https://lintel.test', email: 'ann@example.com' };

describe('mailContext', () => {
  it('contains the common variables, those of the template, and the remaining time', () => {
    const variables = { link: 'https://lintel.test/a?token=x', expiresInMinutes: 60 };
    expect(mailContext({ ...PARTS, name: 'Ann', variables, remainingMs: 3_599_000 })).toEqual({
      ...PARTS,
      name: 'Ann',
      link: variables.link,
      expiresInMinutes: '60',
      validity: '1 hour',
    });
    expect(mailContext({ ...PARTS, variables, remainingMs: 1_200_000 })).toMatchObject({ validity: '20 minutes' });
    expect(mailContext({ ...PARTS, variables, remainingMs: 1 })).toMatchObject({ validity: '1 minute' });
  });

  it('omits missing values', () => {
    const variables = { link: 'https://lintel.test/a', code: undefined, expiresInMinutes: 60 };
    const context = mailContext({ ...PARTS, name: null, variables, remainingMs: 60_000 });
    expect(Object.keys(context)).not.toContain('code');
    expect(Object.keys(context)).not.toContain('name');
  });
});

describe('oneLine', () => {
  it.each([
    'a\r\nBcc: b',
    'a\nBcc: b',
    'a\rBcc: b',
    'a\u0000Bcc: b',
    'a\u2028Bcc: b',
    'a\u0085Bcc: b',
    'a\u200b Bcc: b',
  ])('writes %j in one line', (text) => {
    expect(oneLine(text)).toBe('a Bcc: b');
  });
});

describe('displayName', () => {
  it.each(['Ann', 'Ann Lee', "Seán O'Brien", 'J. R. R. Tolkien', 'J.R.R. Tolkien', '王小明', 'Dr. Ann Lee, 3rd'])(
    'greets %s',
    (name) => {
      expect(displayName(name)).toBe(name);
    },
  );

  it.each([
    null,
    undefined,
    '',
    ' \n ',
    'you won, see https://evil.example/prize',
    'go to evil.example',
    'WWW.EVIL.EXAMPLE',
    'write to boss@evil.example',
    'ev\u0069l.example now',
    't.co',
    'win at evil．example',
    'win at evil。example',
    'evil｡example',
    'http：//evil',
    'x'.repeat(61),
  ])('does not repeat %j', (name) => {
    expect(displayName(name)).toBeNull();
  });
});

describe('withoutLinks', () => {
  it.each([
    ['Phone', 'Phone'],
    ['Ann’s phone (2)', 'Ann’s phone (2)'],
    ['https://evil.example/a?b', 'https : / / evil . example / a?b'],
    ['go to evil.example now', 'go to evil . example now'],
    ['WWW.evil', 'WWW . evil'],
    ['boss@evil.example', 'boss @ evil . example'],
    ['evil．example', 'evil . example'],
    ['evil。example', 'evil 。 example'],
    ['t.co/x', 't . co / x'],
  ])('writes %j as %j', (text, written) => expect(withoutLinks(text)).toBe(written));
});

describe('validityText', () => {
  it('uses the largest unit that fits', () => {
    expect([1, 5, 60, 90, 120, 1_439, 1_440, 2_880].map((minutes) => validityText(minutes))).toEqual([
      '1 minute',
      '5 minutes',
      '1 hour',
      '90 minutes',
      '2 hours',
      '23 hours',
      '24 hours',
      '2 days',
    ]);
    expect([1, 60, 90, 1_440].map((minutes) => validityText(minutes, 'de'))).toEqual([
      '1 Minute',
      '1 Stunde',
      '90 Minuten',
      '24 Stunden',
    ]);
  });
});
