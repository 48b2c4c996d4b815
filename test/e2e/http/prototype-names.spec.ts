import { Body, Controller, Module, Post } from '@nestjs/common';
import { IsObject, IsOptional, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { signedIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const NAMES = ['toString', 'constructor', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__lookupGetter__'];

class Inner {
  @IsOptional() readonly a?: unknown;
}
class NoteDto {
  @IsObject() @IsOptional() readonly data?: object;
  @ValidateNested() @Type(() => Inner) @IsOptional() readonly inner?: Inner;
}
@Controller('api/acme/notes')
class NotesController {
  @Post()
  @Public()
  @RateLimit('general')
  create(@Body() body: NoteDto): NoteDto {
    return body;
  }
}
@Module({ controllers: [NotesController] })
class NotesModule {}

describe('members with names of Object.prototype', () => {
  const world = useTestApp({ modules: [NotesModule] });
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    await root.post('/api/schema', schema('thing', [field('json', 'meta', { optional: true })])).expect(201);
    for (const title of ['a', 'b']) await root.post('/api/content/thing', { title }).expect(201);
  });

  it.each(
    NAMES.flatMap((name) => [
      { [name]: { $eq: 'a' } },
      { $or: [{ title: 'a' }, { [name]: 'z' }] },
      { $not: { title: 'a', [name]: 1 } },
    ]),
  )('are rejected in the filter of a bulk change: %j', async (filter) => {
    const { body } = await root.post('/api/bulk-changes', { schema: 'thing', action: 'delete', filter }).expect(400);
    expect(body.data.error).toBe('query_invalid');
    const { body: left } = await root.get('/api/content/thing').expect(200);
    expect(left.data.total).toBe(2);
  });

  it.each(NAMES)('are rejected as fields of a bulk change: %s', async (name) => {
    const change = { schema: 'thing', action: 'update', filter: {}, values: { [name]: 1 } };
    const { body } = await root.post('/api/bulk-changes', change).expect(400);
    expect(body.data).toMatchObject({ error: 'field_invalid', errors: [{ field: name }] });
  });

  it('are stored in JSON values', async () => {
    const meta = { valueOf: 1, constructor: { toString: [2] }, k: 7 };
    const change = { schema: 'thing', action: 'update', filter: {}, values: { meta } };
    const { body } = await root.post('/api/bulk-changes', change).expect(202);
    for (let tries = 0; tries < 200; tries += 1) {
      const { body: now } = await root.get(`/api/bulk-changes/${body.data.id}`).expect(200);
      if (now.data.state === 'done') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { body: list } = await root.get('/api/content/thing').expect(200);
    expect(list.data.items.map((item: { meta: unknown }) => item.meta)).toEqual([meta, meta]);
  });

  it.each(NAMES)('are rejected in scopes of API keys and files of a conversion: %s', async (name) => {
    const scope = { resource: 'content.thing.list' };
    const key = { name: 'k', expires_in_days: 60, scopes: [{ ...scope, [name]: 1 }] };
    const { body } = await root.post('/api/auth/keys', key).expect(422);
    expect(JSON.stringify(body.data.errors)).toContain(`scopes.0.${name}`);
    const files = [{ name: 'a.json', text: '{}', [name]: 1 }];
    const { body: converted } = await root.post('/api/schema/convert', { source: 'directus', files }).expect(422);
    expect(converted.data.errors).toEqual([expect.objectContaining({ field: 'files', code: 'type_invalid' })]);
  });

  it.each(NAMES)('are rejected if a class of an application cannot store them: %s', async (name) => {
    const guest = world.app.asGuest();
    await guest.post('/api/acme/notes', { data: { k: 1 }, inner: { a: 2 } }).expect(201);
    for (const part of ['data', 'inner']) {
      const { body } = await guest.post('/api/acme/notes', { [part]: { [name]: 1 } }).expect(422);
      expect(body.data.errors).toEqual([expect.objectContaining({ field: `${part}.${name}`, code: 'unknown_member' })]);
    }
  });
});
