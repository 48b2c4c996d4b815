import { runInNewContext } from 'node:vm';
import type { OpenApi } from './open-api.js';
import { LANGUAGES, sampleRequest } from './snippets.js';

const ORIGIN = 'http://localhost:8000';
const JSON_BODY = {
  content: {
    'application/json': {
      schema: {
        properties: { title: { type: 'string', default: `it's "so"` }, more: { type: 'boolean' } },
        required: ['title'],
      },
    },
  },
};
const OPERATION = { tags: ['post'] as const, summary: '', operationId: '', responses: {} };
const DOCUMENT: OpenApi = {
  info: { title: '', description: '' },
  servers: [],
  tags: [],
  paths: {
    '/api/posts': {
      get: {
        ...OPERATION,
        parameters: [
          { $ref: '#/components/parameters/Filter', name: '', in: '' },
          { name: 'page', in: 'query', schema: { type: 'integer' } },
        ],
      },
      post: { ...OPERATION, requestBody: JSON_BODY },
    },
    '/api/posts/{id}': {
      delete: { ...OPERATION, security: [], parameters: [{ name: 'id', in: 'path', schema: { format: 'uuid' } }] },
    },
  },
  components: {
    parameters: { Filter: { name: 'filter', in: 'query', content: { 'application/json': { example: { a: 'x&y' } } } } },
  },
};

describe('sampleRequest', () => {
  const sample = (path: string, method: string) => sampleRequest(DOCUMENT, path, method, ORIGIN);

  it('includes an example filter and no other optional parameter', () => {
    const url = `${ORIGIN}/api/posts?filter=%7B%22a%22%3A%22x%26y%22%7D`;
    expect(sample('/api/posts', 'get')).toEqual({ url, method: 'GET', headers: { authorization: 'Bearer' } });
  });

  it('fills the path, and omits the token for public operations', () => {
    const url = `${ORIGIN}/api/posts/01890000-0000-7000-8000-000000000000`;
    expect(sample('/api/posts/{id}', 'delete')).toEqual({ url, method: 'DELETE', headers: {} });
  });

  it('returns null for an unknown operation', () => expect(sample('/api/none', 'get')).toBeNull());
});

describe('sample languages', () => {
  const request = sampleRequest(DOCUMENT, '/api/posts', 'post', ORIGIN);
  const written = (title: string): string => {
    const language = LANGUAGES.find((item) => item.title === title);
    return request === null || language === undefined ? '' : language.write(request);
  };

  it('quote a body for the shell', () => {
    expect(written('curl')).toBe(
      [
        `curl -X POST 'http://localhost:8000/api/posts'`,
        `-H "Authorization: Bearer $TOKEN"`,
        `-H 'content-type: application/json'`,
        String.raw`--data-raw '{"title":"it'\''s \"so\"","more":true}'`,
      ].join(' \\\n  '),
    );
  });

  it('write JavaScript that sends the request', async () => {
    const calls: unknown[] = [];
    const fetch = (...args: unknown[]): object => {
      calls.push(args);
      return { status: 201, text: () => '' };
    };
    const globals = { fetch, TOKEN: 'secret', console: { log: () => undefined } };
    await runInNewContext(`(async () => {${written('fetch')}})()`, globals);
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
    expect(calls).toEqual([
      [`${ORIGIN}/api/posts`, { method: 'POST', headers, body: `{"title":"it's \\"so\\"","more":true}` }],
    ]);
  });

  it('write Python with the standard library', () => {
    expect(written('Python').split('\n')).toEqual([
      'from urllib.request import Request, urlopen',
      '',
      'request = Request(',
      '    "http://localhost:8000/api/posts",',
      '    method="POST",',
      '    headers={',
      '        "authorization": f"Bearer {TOKEN}",',
      '        "content-type": "application/json",',
      '    },',
      String.raw`    data="{\"title\":\"it's \\\"so\\\"\",\"more\":true}".encode(),`,
      ')',
      'with urlopen(request) as response:',
      '    print(response.status, response.read().decode())',
    ]);
  });

  it('never contain a token', () => {
    const sent = { url: ORIGIN, method: 'GET', headers: { Authorization: 'Bearer secret', accept: '*/*' } };
    for (const { write } of LANGUAGES) {
      expect(write(sent)).toContain('TOKEN');
      expect(write(sent)).not.toMatch(/secret|accept/);
    }
  });
});
