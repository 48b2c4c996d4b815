import { MAX_JSON_DEPTH, parseJsonBody } from './json-body.js';

describe('parseJsonBody', () => {
  it('reads JSON, and an empty body as an empty object', () => {
    expect(parseJsonBody(Buffer.from('{"a":[1,"\\"]}"]}'))).toEqual({ a: [1, '"]}'] });
    expect(parseJsonBody(Buffer.alloc(0))).toEqual({});
  });

  it.each(['{', '{"a":}', 'undefined', "{'a':1}", '{"__proto__":{"a":1}}', '{"a":{"\\u005f_proto__":1}}', '"a', '{}}'])(
    'refuses %s',
    (text) => {
      expect(() => parseJsonBody(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'body_malformed' }));
    },
  );

  it('refuses broken UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toThrow(
      expect.objectContaining({ code: 'body_malformed' }),
    );
  });

  it('refuses nesting beyond the bound, also in hundreds of thousands of levels', () => {
    expect(parseJsonBody(Buffer.from('['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH)))).toBeDefined();
    for (const depth of [MAX_JSON_DEPTH + 1, 500_000]) {
      expect(() => parseJsonBody(Buffer.from('['.repeat(depth)))).toThrow(
        expect.objectContaining({ code: 'body_too_deep' }),
      );
    }
  });
});
