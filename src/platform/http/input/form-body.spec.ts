import { AppError } from '../../../kernel/errors/app-error.js';
import { parseFormBody } from './form-body.js';

/** Returns the parsed body, or the code of the error. */
function parse(text: string | Buffer): unknown {
  try {
    return parseFormBody(Buffer.from(text as string));
  } catch (error) {
    return error instanceof AppError ? error.code : error;
  }
}

describe('parseFormBody', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['login=a%40b.test&password=x+y%2B%26', { login: 'a@b.test', password: 'x y+&' }],
    ['empty=&bare', { empty: '', bare: '' }],
    ['name=%C3%A9%E2%9C%93', { name: 'é✓' }],
    ['toString=x&constructor=y', { toString: 'x', constructor: 'y' }],
    ['a[b]=1', { 'a[b]': '1' }],
  ])('reads %j', (text, fields) => expect(parse(text)).toEqual(fields));

  it.each([
    ['a field twice', 'carrier=one&carrier=two'],
    ['a field twice, in other spelling', 'carrier=one&c%61rrier=two'],
    ['__proto__', '__proto__=x'],
    ['51 fields', Array.from({ length: 51 }, (_, index) => `f${index}=`).join('&')],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0x3d, 0xff])],
  ])('refuses %s', (_, body) => expect(parse(body)).toBe('body_malformed'));

  it('touches no prototype', () => {
    parse('__proto__[polluted]=1');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
