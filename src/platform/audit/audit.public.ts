import { OwnedTable } from '../../kernel/errors/definition-error.js';
import { newId } from '../../kernel/keys/random.js';
import type { Principal } from '../../kernel/principal.types.js';
import type { AuditEvent, FieldChanges } from './audit.types.js';

const ACTIONS = new OwnedTable<string>('the action');

/** Defines the actions of a feature and their meanings. The start fails if two owners define the same action. */
export function defineAuditActions<const Table extends Readonly<Record<string, string>>>(
  owner: string,
  table: Table,
): Table {
  return ACTIONS.define(owner, table);
}

export function auditActions(): readonly (readonly [name: string, meaning: string])[] {
  return [...ACTIONS.entries()].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Actor of commands, and of changes in files that the service reads. */
export const OPERATOR = 'operator';
export const SERVICE = 'system';

export function accountActor(userId: string): string {
  return `account:${userId}`;
}

export function actorOf(principal: Principal): string {
  if (principal.kind === 'account') return accountActor(principal.userId);
  return principal.kind === 'system' && principal.for === 'operator' ? OPERATOR : principal.kind;
}

/** Returns changes with the names of the fields only, without values. */
export function changedFields(names: Iterable<string>): FieldChanges {
  return Object.fromEntries([...names].map((name) => [name, {}]));
}

export function factsOf(facts: Readonly<Record<string, unknown>>): FieldChanges {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, after]) => (after === undefined ? [] : [[name, { after }]])),
  );
}

/** Maximum characters of the resource, the address and the request id. Longer values are cut. */
const MAX_LENGTHS = { resource: 300, address: 64, requestId: 64 };

const COLUMNS = [
  ['id', 'uuid'],
  ['at', 'timestamptz'],
  ['actor', 'text'],
  ['action', 'text'],
  ['resource', 'text'],
  ['outcome', 'text'],
  ['address', 'text'],
  ['request_id', 'text'],
  ['key_id', 'uuid'],
  ['changes', 'jsonb'],
] as const;

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const LISTS = COLUMNS.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ');

export const INSERT_EVENTS = `INSERT INTO audit_events (${NAMES}) SELECT * FROM unnest(${LISTS})`;

export function auditValues(event: AuditEvent): readonly (string | null)[] {
  const { at, actor, action, resource, outcome = 'success', origin, changes = {} } = event;
  const address = origin?.address.slice(0, MAX_LENGTHS.address) ?? null;
  const requestId = origin?.requestId?.slice(0, MAX_LENGTHS.requestId) ?? null;
  const shortened = resource.slice(0, MAX_LENGTHS.resource);
  const request = [address, requestId, origin?.keyId ?? null];
  return [newId(), at.toISOString(), actor, action, shortened, outcome, ...request, JSON.stringify(changes)];
}

interface StepContext {
  readonly from: string;
  /** SQL expression that completes the resource; undefined if the resource is known. */
  readonly key?: string;
  readonly parameter: (value: string | null, sqlType: string) => string;
  /** Whether the action, the resource and the fields can be literals. The statement's text then differs for each of them. */
  readonly isTextParameter?: boolean;
}

const TEXT_COLUMNS: ReadonlySet<string> = new Set(['action', 'resource', 'outcome', 'changes']);
/** Text that is safe in a literal under all server settings: no quotes and no backslashes. */
const LITERAL = /^[^'\\]*$/;

/** Returns a step that writes an event for each row of another step of the same statement. */
export function auditStep(
  values: readonly (string | null)[],
  { from, key, parameter, isTextParameter = false }: StepContext,
): string {
  const columns = COLUMNS.map(([name, type], at) => {
    const text = values[at] ?? null;
    const isLiteral = isTextParameter && text !== null && TEXT_COLUMNS.has(name) && LITERAL.test(text);
    const value = isLiteral ? `'${text}'::${type}` : parameter(text, type);
    return name === 'resource' && key !== undefined ? `left(${value} || ${key}, ${MAX_LENGTHS.resource})` : value;
  });
  return `INSERT INTO audit_events (${NAMES}) SELECT ${columns.join(', ')} FROM ${from}`;
}
