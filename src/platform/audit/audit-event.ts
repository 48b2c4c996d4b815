import { OwnedTable } from '../../kernel/owned-table.js';
import { newId } from '../../kernel/keys/random.js';
import type { Principal } from '../../kernel/principal.types.js';
import type { AuditEvent, FieldChanges } from './audit.types.js';

const ACTIONS = new OwnedTable<string>('the action');

/**
 * Defines the actions of a feature with what each of them means. One that another owner defines stops the start.
 *
 * @param owner the feature, for that sentence.
 */
export function defineAuditActions<const Table extends Readonly<Record<string, string>>>(
  owner: string,
  table: Table,
): Table {
  return ACTIONS.define(owner, table);
}

/** Holds that each action has one owner. @throws DefinitionError that names both owners. */
export function assertAuditActionsDistinct(): void {
  ACTIONS.assertOwnedOnce();
}

/** Returns every action that is defined with its meaning, in alphabetical order. */
export function auditActions(): readonly (readonly [name: string, meaning: string])[] {
  return [...ACTIONS.entries()].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Actor who works at the command line, or in the files that the service reads. */
export const OPERATOR = 'operator';
/** The service itself. */
export const SERVICE = 'system';

/** Returns how the log names an account. */
export function accountActor(userId: string): string {
  return `account:${userId}`;
}

/** Returns how the log names a principal: `account:<id>`, `guest`, `operator` or `system`. */
export function actorOf(principal: Principal): string {
  if (principal.kind === 'account') return accountActor(principal.userId);
  return principal.kind === 'system' && principal.for === 'operator' ? OPERATOR : principal.kind;
}

/** Returns the changes of fields of which the log tells the names alone. */
export function changedFields(names: Iterable<string>): FieldChanges {
  return Object.fromEntries([...names].map((name) => [name, {}]));
}

/** Returns facts as the values of fields. */
export function factsOf(facts: Readonly<Record<string, unknown>>): FieldChanges {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, after]) => (after === undefined ? [] : [[name, { after }]])),
  );
}

/** Characters of the resource, the address and the request's id that are kept. */
const KEPT = { resource: 300, address: 64, requestId: 64 };

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

/** Writes rows down that are given as one list a column. */
export const INSERT_EVENTS = `INSERT INTO audit_events (${NAMES}) SELECT * FROM unnest(${LISTS})`;

/** Returns the values of an event in the order of its columns. */
export function auditValues(event: AuditEvent): readonly (string | null)[] {
  const { at, actor, action, resource, outcome = 'success', origin, changes = {} } = event;
  const address = origin?.address.slice(0, KEPT.address) ?? null;
  const requestId = origin?.requestId?.slice(0, KEPT.requestId) ?? null;
  const kept = resource.slice(0, KEPT.resource);
  const request = [address, requestId, origin?.keyId ?? null];
  return [newId(), at.toISOString(), actor, action, kept, outcome, ...request, JSON.stringify(changes)];
}

/** Names of the parameters of a step, and what the step is about. */
interface StepPlace {
  /** The step whose rows are written down, one event each. */
  readonly from: string;
  /** SQL that completes the resource; nothing for one that is known. */
  readonly key?: string;
  /** Returns the placeholder of the next value. */
  readonly parameter: (value: string | null, sqlType: string) => string;
  /** Whether the statement is another one where the action, the kind of the resource or the names of the fields are: its text says them. */
  readonly isSaidByText?: boolean;
}

/** Columns whose values the text of a statement may say in place of a parameter. */
const SAID_BY_TEXT: ReadonlySet<string> = new Set(['action', 'resource', 'outcome', 'changes']);
/** Text without anything that could end a literal, or be read as anything else in one, whatever the settings of the server are. */
const LITERAL = /^[^'\\]*$/;

/** Returns the step of a statement that writes an event down for each row of another step, in the same breath. */
export function auditStep(
  values: readonly (string | null)[],
  { from, key, parameter, isSaidByText = false }: StepPlace,
): string {
  const given = COLUMNS.map(([name, type], at) => {
    const said = values[at] ?? null;
    const isLiteral = isSaidByText && said !== null && SAID_BY_TEXT.has(name) && LITERAL.test(said);
    const value = isLiteral ? `'${said}'::${type}` : parameter(said, type);
    return name === 'resource' && key !== undefined ? `left(${value} || ${key}, ${KEPT.resource})` : value;
  });
  return `INSERT INTO audit_events (${NAMES}) SELECT ${given.join(', ')} FROM ${from}`;
}
