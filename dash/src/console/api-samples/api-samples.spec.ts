import type { OpenApi } from '../../reference/open-api.js';
import { canBeTried, operationsOf } from './schema-operations.js';
import { typesOf } from './schema-types.js';

const ID = [{ name: 'id', in: 'path', schema: { type: 'string', format: 'uuid' } }];
const operation = (operationId: string, more: object = {}) => ({
  tags: ['post'] as const,
  summary: '',
  responses: {},
  operationId,
  ...more,
});
const NAMED = { anyOf: [{ $ref: '#/components/schemas/Author' }, { type: 'null' }] };
const DOCUMENT = {
  info: { title: '', description: '' },
  servers: [],
  tags: [],
  paths: {
    '/api/posts': { patch: operation('updateManyPost'), get: operation('listPost') },
    '/api/posts/{id}': { get: operation('getPost', { parameters: ID }), patch: operation('updatePost') },
    '/api/authors': { get: { ...operation('listAuthor'), tags: ['author'] } },
  },
  components: {
    schemas: {
      Author: { description: 'A record of `author`.', type: 'object', properties: { name: { type: 'string' } } },
      Post: {
        description: 'A record of `post`.',
        type: 'object',
        required: ['views'],
        properties: {
          views: { type: 'integer' },
          state: { type: ['string', 'null'], enum: ['draft', 'done'] },
          author: NAMED,
          tags: { type: 'array', items: NAMED },
          'odd-name': { const: 'now' },
          meta: {},
        },
      },
      PostUpdate: { type: 'object' },
    },
  },
} as unknown as OpenApi;

describe('API samples of a schema', () => {
  const at = (target: object) => operationsOf(DOCUMENT, 'post', 'http://x', target);

  it('contain the requests of the schema in order, and no others', () => {
    expect(at({}).map(({ verb, method, path }) => `${verb} ${method} ${path}`)).toEqual([
      'list GET /api/posts',
      'get GET /api/posts/{id}',
      'update PATCH /api/posts/{id}',
      'updateMany PATCH /api/posts',
    ]);
    expect(
      at({})
        .filter(canBeTried)
        .map(({ verb }) => verb),
    ).toEqual(['list', 'get']);
  });

  it('use the open list or record', () => {
    const [list, get] = at({ query: 'sort=-views', id: 'a/b' });
    expect([list?.request.url, get?.request.url]).toEqual([
      'http://x/api/posts?sort=-views',
      'http://x/api/posts/a%2Fb',
    ]);
    expect(at({ query: '' })[0]?.request.url).toBe('http://x/api/posts');
  });

  it('contain the types with their dependencies, each once', () => {
    expect(typesOf(DOCUMENT, 'post')).toBe(`export type Post = {
  views: number;
  state?: "draft" | "done" | null;
  author?: Author | null;
  tags?: readonly (Author | null)[];
  "odd-name"?: "now";
  meta?: unknown;
};

export type PostUpdate = Record<string, unknown>;

export type Author = {
  name?: string;
};
`);
    expect(typesOf(DOCUMENT, 'nothing')).toBe('');
  });
});
