import type { ApiKey, Permissions } from '../../../api/openapi.js';
import type { KeyStore } from '../../../session/keys-api.js';
import { texts } from '../../../texts/texts.js';

export interface ScopeChoice {
  label: string;
  resources: string[];
}

export interface ScopeGroup {
  name: string;
  choices: ScopeChoice[];
}

export interface OfferedScopes {
  records: ScopeGroup[];
  others: ScopeGroup[];
}

type Scope = NonNullable<ApiKey['scopes']>[number];

const READING = ['list', 'get', 'aggregate'];
/** Resources that no key can have, and those that are listed as records. */
const NOT_FOR_KEYS = /^(auth|keys|service-accounts|content)(\.|$)/;

export function offeredScopes({ content, resources }: Pick<Permissions, 'content' | 'resources'>): OfferedScopes {
  const records = Object.entries(content).map(([name, actions]) => ({
    name,
    choices: recordChoices(name, Object.keys(actions)),
  }));
  const others = new Map<string, ScopeChoice[]>();
  for (const resource of resources) {
    if (NOT_FOR_KEYS.test(resource)) continue;
    const at = resource.lastIndexOf('.');
    const name = at === -1 ? resource : resource.slice(0, at);
    const action = resource.slice(at + 1);
    others.set(name, [...(others.get(name) ?? []), { label: actionLabel(action), resources: [resource] }]);
  }
  return {
    records: records.filter(({ choices }) => choices.length > 0),
    others: [...others].map(([name, choices]) => ({ name, choices })),
  };
}

function recordChoices(schema: string, actions: readonly string[]): ScopeChoice[] {
  const choice = (label: string, of: readonly string[]): ScopeChoice => ({
    label: actionLabel(label),
    resources: of.map((action) => `content.${schema}.${action}`),
  });
  const reading = READING.filter((action) => actions.includes(action));
  const writing = actions.filter((action) => !READING.includes(action));
  return [
    ...(reading.length > 0 ? [choice('read', reading)] : []),
    ...writing.map((action) => choice(action, [action])),
  ];
}

/** Describes the scopes of a key: "post: read, create; audit: list". */
export function describeScopes(scopes: ApiKey['scopes'], of: KeyStore['of'] = 'person'): string {
  const { everything, nothing } = texts('account').keys.scopes;
  if (scopes === null) return everything[of];
  const actions = new Map<string, string[]>();
  for (const scope of scopes) {
    const { name, action } = partsOf(scope.resource);
    const labels = describeRestriction(action, scope);
    const actionLabels = actions.get(name) ?? [];
    if (!actionLabels.includes(labels)) actions.set(name, [...actionLabels, labels]);
  }
  const parts = [...actions].map(([name, labels]) =>
    name === '' ? labels.join(', ') : `${name}: ${labels.join(', ')}`,
  );
  return parts.length === 0 ? nothing : parts.join('; ');
}

/** Returns the name and the action of a resource. Listing, reading and counting records are shown as one action. */
function partsOf(resource: string): { name: string; action: string } {
  const { all, records } = texts('account').keys.scopes;
  if (resource === '*') return { name: '', action: all };
  if (resource === 'content.*') return { name: '', action: records };
  const at = resource.lastIndexOf('.');
  if (at === -1) return { name: '', action: resource };
  const isRecord = resource.startsWith('content.') && at > 'content'.length;
  const name = isRecord ? resource.slice('content.'.length, at) : resource.slice(0, at);
  const last = resource.slice(at + 1);
  if (last === '*') return { name, action: all };
  return { name, action: actionLabel(isRecord && READING.includes(last) ? 'read' : last).toLowerCase() };
}

function describeRestriction(labels: string, { value, fields }: Scope): string {
  const { not, byRule, someFields } = texts('account').keys.scopes;
  if (value === 'deny') return not(labels);
  const text = value === 'allow' ? labels : byRule(labels);
  return fields?.read || fields?.write ? someFields(text) : text;
}

function actionLabel(action: string): string {
  const actionLabels: Readonly<Record<string, string>> = texts('account').keys.actions;
  return (
    (Object.hasOwn(actionLabels, action) && actionLabels[action]) || action.charAt(0).toUpperCase() + action.slice(1)
  );
}
