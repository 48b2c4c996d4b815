import { newPassword, PASSWORD_LENGTH } from './password-rules.js';

const codeOf = (value: unknown): string | null => newPassword(value)?.code ?? null;
const { min, max } = PASSWORD_LENGTH;

describe('a new password', () => {
  it.each([
    'sturdy walnut 47',
    '        7',
    'пароль-длинный',
    '\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007',
    '😀'.repeat(min),
    'ok-'.repeat(85),
    '😀'.repeat(max),
  ])('may be %j', (value) => expect(codeOf(value)).toBeNull());

  it.each(['walnut7', '😀'.repeat(min - 1), 'é'.repeat(min - 1)])('may not be as short as %j', (value) =>
    expect(codeOf(value)).toBe('password_too_short'),
  );

  it('may not be too long, in characters and not bytes', () => {
    expect(codeOf('a'.repeat(max + 1))).toBe('password_too_long');
    expect(codeOf('😀'.repeat(max + 1))).toBe('password_too_long');
    expect(codeOf('a'.repeat(1_000_000))).toBe('password_too_long');
  });

  it.each(['password', 'PassWord', '12345678', 'password123', 'iloveyou', 'Football'])(
    'may not be as common as %j',
    (value) => expect(codeOf(value)).toBe('password_too_common'),
  );

  it.each([undefined, null, ''])('is required: %j', (value) => expect(codeOf(value)).toBe('required'));

  it.each([12_345_678, ['sturdy walnut 47'], { length: 12 }, true])('must be text: %j', (value) =>
    expect(codeOf(value)).toBe('type_invalid'),
  );

  it('must be encodable', () => expect(codeOf('sturdy walnut \ud800')).toBe('characters_invalid'));
});
