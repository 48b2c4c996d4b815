import { fieldType } from '../../../../src/data/model/field-types.js';
import type { FieldDefinition } from '../../../../src/kernel/schema-definition.types.js';
import type { Assembly } from '../draft/assemble.js';
import type { ConvertedPermission, ConvertedRole } from '../draft/conversion.types.js';
import { type Notes, pointerTo } from '../draft/notes.js';
import { NameScope } from '../draft/names.js';
import type { Collection } from './collection.types.js';
import { type RuleContext, type RuleField, translateRule, type TranslatedRule } from './translate-rule.js';

const ACTIONS = { listRule: 'list', viewRule: 'get', createRule: 'create', updateRule: 'update', deleteRule: 'delete' };

interface Permissions {
  readonly guest: ConvertedPermission[];
  readonly user: ConvertedPermission[];
}

/**
 * Converts rules to permissions. A null rule grants nothing, and an empty rule grants everything. A rule that cannot be translated grants
 * nothing and is noted. Accounts of the first auth collection get the role `user`; those of other auth collections also get a role named
 * after their collection.
 */
export function convertRules(
  collections: readonly Collection[],
  assembly: Assembly,
  notes: Notes,
): readonly ConvertedRole[] {
  const roles = rolesOf(collections);
  const permissions: Permissions = { guest: [], user: [] };
  const accountsOf = (name: string): string | undefined => {
    const role = roles.get(name);
    return role === 'user' ? "auth.id != ''" : role && `'${role}' in auth.roles`;
  };
  const fields = new RuleFields(collections, assembly);
  const find: RuleContext['find'] = (name, field) => fields.find(name, field);
  for (const collection of collections) {
    const context = { collection: collection.name, find, accountsOf };
    for (const [rule, action] of Object.entries(ACTIONS))
      convertRule({ collection, rule, action }, context, { assembly, permissions, notes });
    for (const rule of ['manageRule', 'authRule'])
      collection.source.drop(rule, 'The rule has no equivalent and was skipped.');
  }
  const otherRoles = [...roles.values()].filter((name) => name !== 'user');
  return [
    ...(['guest', 'user'] as const).flatMap((name) =>
      permissions[name].length > 0 ? [{ name, merge: true as const, permissions: permissions[name] }] : [],
    ),
    ...otherRoles.map((name) => ({
      name,
      description: 'Accounts of an auth collection',
      merge: true as const,
      permissions: [],
    })),
  ];
}

function rolesOf(collections: readonly Collection[]): ReadonlyMap<string, string> {
  const names = new NameScope(['admin', 'user', 'guest'], () => false);
  const auth = collections.filter(({ isAuth }) => isAuth);
  return new Map(
    auth.map(({ name }, at) => [name, at === 0 ? 'user' : names.unique(name.toLowerCase(), 'role').toLowerCase()]),
  );
}

interface RuleOf {
  readonly collection: Collection;
  readonly rule: string;
  readonly action: string;
}

interface RuleTarget {
  readonly assembly: Assembly;
  readonly permissions: Permissions;
  readonly notes: Notes;
}

function convertRule(
  { collection, rule, action }: RuleOf,
  context: RuleContext,
  { assembly, permissions, notes }: RuleTarget,
): void {
  const { source, isAuth, draft } = collection;
  const text = source.text(rule);
  const schema = assembly.named.get(draft.name)?.name;
  if (text === undefined || schema === undefined) return;
  const at = { file: source.at.file, pointer: pointerTo(source.at.pointer, rule) };
  const resource = `content.${schema}.${action}`;
  const translated: TranslatedRule | string =
    text.trim() === '' ? { cel: 'allow', needsAccount: false, isNarrower: false } : translateRule(text, context);
  if (typeof translated === 'string') return notes.add(at, `The rule cannot be translated: ${translated}.`);
  const { cel, needsAccount, isNarrower } = translated;
  // Users change their own account over dedicated routes, and other users must not see their addresses.
  if (isAuth && !(cel === 'record.id == auth.id' && action === 'get'))
    return notes.add(at, 'Users read and change their account through dedicated routes. The rule was skipped.');
  if (isNarrower) notes.add(at, 'Text search in rules is case-sensitive.');
  if (!needsAccount) permissions.guest.push({ resource, value: cel });
  permissions.user.push({ resource, value: cel });
}

const KINDS: Readonly<Record<string, RuleField['kind']>> = {
  string: 'text',
  enum: 'enum',
  integer: 'integer',
  float: 'number',
  boolean: 'bool',
  time: 'time',
};
const OF_EVERY: Readonly<Record<string, RuleField>> = {
  id: { name: 'id', kind: 'key', optional: false },
  created: { name: 'created_at', kind: 'time', optional: false },
  updated: { name: 'updated_at', kind: 'time', optional: false },
};

class RuleFields {
  private readonly collections = new Map<string, Collection>();
  private readonly names = new Map<string, string>();
  private readonly definitions: ReadonlyMap<string, ReadonlyMap<string, FieldDefinition>>;

  constructor(
    collections: readonly Collection[],
    private readonly assembly: Assembly,
  ) {
    for (const collection of collections) {
      const schema = assembly.named.get(collection.draft.name)?.name;
      if (!this.collections.has(collection.name)) this.collections.set(collection.name, collection);
      if (schema !== undefined && !this.names.has(schema)) this.names.set(schema, collection.name);
    }
    this.definitions = new Map(
      assembly.schemas.map(({ name, fields }) => [name, new Map(fields.map((field) => [field.name, field]))]),
    );
  }

  find(collection: string, field: string): RuleField | undefined {
    const own = this.assembly.named.get(this.collections.get(collection)?.draft.name ?? '');
    if (own === undefined) return undefined;
    const name = own.fields.get(field);
    const definition = name === undefined ? undefined : this.definitions.get(own.name)?.get(name);
    if (name === undefined || definition === undefined)
      return Object.hasOwn(OF_EVERY, field) ? OF_EVERY[field] : undefined;
    const optional = definition.optional === true;
    const { relation } = definition;
    if (relation === undefined) return { name, kind: KINDS[fieldType(definition.type).family] ?? 'other', optional };
    if (relation.type !== 'm2m' && relation.owner === true) return { name, kind: 'other', optional };
    const target = this.names.get(relation.schema);
    return { name, kind: relation.type === 'm2m' ? 'many' : 'one', optional, ...(target ? { target } : {}) };
  }
}
