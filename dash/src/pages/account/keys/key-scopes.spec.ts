import * as account from '../../../texts/en/account.js';
import { en } from '../../../texts/en/en.js';
import { showTexts } from '../../../texts/texts.js';
import { offeredScopes, describeScopes } from './key-scopes.js';

beforeAll(() => showTexts({ ...en, ...account }));

const allow = (resource: string) => ({ resource, value: 'allow' });

describe('offeredScopes', () => {
  it('groups reading, and lists each write action per schema', () => {
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

  it('omits permissions that keys cannot have', () => {
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

describe('describeScopes', () => {
  it.each([
    [null, 'all your permissions'],
    [[], 'none'],
    [[allow('*')], 'all'],
    [[allow('content.*')], 'all records'],
    [[allow('content.post.*'), allow('audit.list')], 'post: all; audit: list'],
    [[allow('content.post.list'), allow('content.post.get'), allow('content.post.create')], 'post: read, create'],
    [[allow('openapi'), allow('schema.*')], 'openapi; schema: all'],
    [[allow('content.*'), { resource: 'content.post.*', value: 'deny' }], 'all records; post: not all'],
    [[{ resource: 'content.post.update', value: 'record.owner == auth.id' }], 'post: update (some records)'],
    [[{ ...allow('content.user.list'), fields: { read: ['id'] } }], 'user: read (some fields)'],
  ])('describes %j: %s', (scopes, text) => expect(describeScopes(scopes)).toBe(text));
});
