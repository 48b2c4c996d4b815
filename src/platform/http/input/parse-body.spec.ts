import { AppError } from '../../../kernel/errors/app-error.js';
import { MAX_JSON_DEPTH, parseFormBody, parseJsonBody } from './parse-body.js';

describe('parseJsonBody', () => {
  it('reads JSON, and an empty body as an empty object', () => {
    expect(parseJsonBody(Buffer.from('{"a":[1,"\\"]}"]}'))).toEqual({ a: [1, '"]}'] });
    expect(parseJsonBody(Buffer.alloc(0))).toEqual({});
  });

  it.each(['{', '{"a":}', 'undefined', "{'a':1}", '{"__proto__":{"a":1}}', '{"a":{"\\u005f_proto__":1}}', '"a', '{}}'])(
    'rejects %s',
    (text) => {
      expect(() => parseJsonBody(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'body_malformed' }));
    },
  );

  it('rejects invalid UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toThrow(
      expect.objectContaining({ code: 'body_malformed' }),
    );
  });

  it('rejects nesting beyond the limit, also hundreds of thousands of levels', () => {
    expect(parseJsonBody(Buffer.from('['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH)))).toBeDefined();
    for (const depth of [MAX_JSON_DEPTH + 1, 500_000]) {
      expect(() => parseJsonBody(Buffer.from('['.repeat(depth)))).toThrow(
        expect.objectContaining({ code: 'body_too_deep' }),
      );
    }
  });
});

/** Returns the parsed body, or the code of the error. */
function parseForm(text: string | Buffer): unknown {
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
  ])('reads %j', (text, fields) => expect(parseForm(text)).toEqual(fields));

  it.each([
    ['a field twice', 'carrier=one&carrier=two'],
    ['a field twice, in other spelling', 'carrier=one&c%61rrier=two'],
    ['__proto__', '__proto__=x'],
    ['51 fields', Array.from({ length: 51 }, (_, index) => `f${index}=`).join('&')],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0x3d, 0xff])],
  ])('rejects %s', (_, body) => expect(parseForm(body)).toBe('body_malformed'));

  it('does not change prototypes', () => {
    parseForm('__proto__[polluted]=1');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
