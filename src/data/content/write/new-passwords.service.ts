import { Injectable } from '@nestjs/common';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { PasswordHasher } from '../../../identity/users/password-hasher.port.js';
import { newPassword } from '../../../identity/users/users.public.js';
import type { ContentContext } from '../content-context.service.js';
import { isFieldWritable } from '../resolve/write-access.js';

/** What a request writes: a schema and a body, or a list of them. */
export interface WrittenBody {
  readonly schema: LinkedSchema;
  readonly body: unknown;
}

/** The hashes of the passwords that a request gives to accounts. */
export class PasswordHashes {
  constructor(private readonly hashes: ReadonlyMap<string, string[]>) {}

  /** Returns the hash of a password, one for each time that the request names it; undefined if it does not. */
  take(password: string): string | undefined {
    const hashes = this.hashes.get(password) ?? [];
    // A change of many gives one password to all of them.
    return hashes.length > 1 ? hashes.pop() : hashes[0];
  }
}

/** Hashes new passwords before the transaction of a request begins: hashing takes its time, and nobody waits for that who needs a lock. */
@Injectable()
export class NewPasswords {
  constructor(private readonly hasher: PasswordHasher) {}

  /** Returns the hashes of all passwords in these bodies that may be chosen. */
  async hash(context: ContentContext, bodies: readonly WrittenBody[]): Promise<PasswordHashes> {
    const hashes = new Map<string, string[]>();
    for (const password of passwordsIn(context, bodies))
      hashes.set(password, [...(hashes.get(password) ?? []), await this.hasher.hash(password)]);
    return new PasswordHashes(hashes);
  }
}

/** Only those who may write passwords make the service hash any. */
function passwordsIn(context: ContentContext, bodies: readonly WrittenBody[]): readonly string[] {
  const { snapshot, access, limits } = context;
  const user = snapshot.schemas['user'];
  const mayWrite = (['create', 'update'] as const).some(
    (action) => user !== undefined && isFieldWritable(user, action, 'password', access),
  );
  if (!mayWrite) return [];
  return bodies.flatMap(({ schema, body }) => {
    const entries: unknown[] = Array.isArray(body) ? body.slice(0, limits.bulkRecords) : [body];
    return entries.flatMap((entry) => recordPasswords(context, schema, entry));
  });
}

/** The passwords of a record and of those that it nests, as deep as they can be written. */
function recordPasswords({ snapshot, limits }: ContentContext, schema: LinkedSchema, record: unknown): string[] {
  const found: string[] = [];
  const queue: WrittenBody[] = [{ schema, body: record }];
  for (let at = 0; at < queue.length && at < limits.nestedRecords; at += 1) {
    const { schema: one, body } = queue[at] ?? { schema, body: null };
    if (typeof body !== 'object' || body === null) continue;
    for (const [name, value] of Object.entries(body)) {
      if (one.system && one.name === 'user' && name === 'password' && newPassword(value) === null)
        found.push(String(value));
      const field = Object.hasOwn(one.fields, name) ? one.fields[name] : undefined;
      const target = field?.kind === 'relation' ? snapshot.schemas[field.target] : undefined;
      if (target !== undefined) queue.push(...nested(value).map((entry) => ({ schema: target, body: entry })));
    }
  }
  return found;
}

/** The new records in what is written of a relation. */
function nested(value: unknown): readonly object[] {
  const isRecord = (entry: unknown): entry is object => typeof entry === 'object' && entry !== null;
  if (Array.isArray(value)) return value.filter(isRecord);
  if (!isRecord(value)) return [];
  const { $add, $set } = value as { readonly $add?: unknown; readonly $set?: unknown };
  return [value, ...[$add, $set].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []))];
}
