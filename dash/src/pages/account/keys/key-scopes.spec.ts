import * as account from '../../../texts/en/account.js';
import { en } from '../../../texts/en/en.js';
import { showTexts } from '../../../texts/texts.js';
import { offeredScopes, scopesInWords } from './key-scopes.js';

beforeAll(() => showTexts({ ...en, ...account }));

const allow = (resource: string) => ({ resource, value: 'allow' });

describe('offeredScopes', () => {
  it('offers reading as one thing, and each way of writing, schema by schema', () => {
    const value = 'allow' as const;
    const content = {
      post: { list: { value }, get: { value }, create: { value } },
      tag: { delete: { value } },
      none: {},
    };
    expect(offeredScopes({ content, resources: [] })).toEqual({
      records: [
        {
          name: 'post',
          choices: [
            { label: 'Read', resources: ['content.post.list', 'content.post.get'] },
            { label: 'Create', resources: ['content.post.create'] },
          ],
        },
        { name: 'tag', choices: [{ label: 'Delete', resources: ['content.tag.delete'] }] },
      ],
      others: [],
    });
  });

  it('offers nothing that no key is let do', () => {
    const resources = ['auth.me', 'auth.keys.create', 'keys.list', 'service-accounts.keys.list', 'content', 'openapi'];
    expect(offeredScopes({ content: {}, resources: [...resources, 'acme.orders.get', 'acme.orders.ship'] })).toEqual({
      records: [],
      others: [
        { name: 'openapi', choices: [{ label: 'Openapi', resources: ['openapi'] }] },
        {
          name: 'acme.orders',
          choices: [
            { label: 'Read', resources: ['acme.orders.get'] },
            { label: 'Ship', resources: ['acme.orders.ship'] },
          ],
        },
      ],
    });
  });
});

describe('scopesInWords', () => {
  it.each([
    [null, 'everything that you may'],
    [[], 'nothing'],
    [[allow('*')], 'everything'],
    [[allow('content.*')], 'all records'],
    [[allow('content.post.*'), allow('audit.list')], 'post: everything; audit: list'],
    [[allow('content.post.list'), allow('content.post.get'), allow('content.post.create')], 'post: read, create'],
    [[allow('openapi'), allow('schema.*')], 'openapi; schema: everything'],
    [[allow('content.*'), { resource: 'content.post.*', value: 'deny' }], 'all records; post: not everything'],
    [[{ resource: 'content.post.update', value: 'record.owner == auth.id' }], 'post: change (some records)'],
    [[{ ...allow('content.user.list'), fields: { read: ['id'] } }], 'user: read (some fields)'],
  ])('says of %j: %s', (scopes, words) => expect(scopesInWords(scopes)).toBe(words));
});
