import type { Permissions } from '../../api/openapi.js';
import { labelFromName } from '../data/record-schema.js';
import { openSections, REFERENCE, type Section } from '../frame/sections.js';
import { openParts, type ServicePart } from '../frame/service-parts.js';

export type Target =
  | { readonly document: typeof REFERENCE }
  | { readonly to: Section['to'] }
  | { readonly to: '/dash/service'; readonly search: { readonly part: ServicePart } }
  | { readonly to: '/dash/model'; readonly search: { readonly view: 'diagram' } }
  | { readonly to: '/dash/records/$schema'; readonly params: { readonly schema: string } }
  | { readonly to: '/dash/records/$schema/$id'; readonly params: { readonly schema: string; readonly id: string } }
  | { readonly to: '/dash/model/$schema'; readonly params: { readonly schema: string } };

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly target: Target;
}

export interface CommandTexts {
  readonly sections: Readonly<Record<Section['name'], string>>;
  readonly parts: Readonly<Record<ServicePart, string>>;
  readonly list: (schema: string) => string;
  readonly create: (schema: string) => string;
  readonly define: (schema: string) => string;
  readonly newSchema: string;
  readonly diagram: string;
  readonly reference: string;
}

/** Returns all commands that the caller can use: sections first, then their contents. */
export function commandsFor(permissions: Permissions, texts: CommandTexts): readonly Command[] {
  const { root, resources, content } = permissions;
  const schemas = Object.keys(content).sort((one, other) => one.localeCompare(other));
  const hasResource = (resource: string): boolean => root || resources.includes(resource);
  const sections = openSections(permissions).map(({ to, name }) => command(texts.sections[name], { to }));
  const parts = openParts(permissions).map((part) =>
    command(texts.parts[part], { to: '/dash/service', search: { part } }),
  );
  const can = (action: string): readonly string[] =>
    schemas.filter((schema) => content[schema]?.[action] !== undefined);
  const lists = can('list').map((schema) =>
    command(texts.list(labelFromName(schema)), { to: '/dash/records/$schema', params: { schema } }),
  );
  const forms = can('create').map((schema) =>
    command(texts.create(labelFromName(schema)), { to: '/dash/records/$schema/$id', params: { schema, id: 'new' } }),
  );
  const models = hasResource('schema.get') ? schemas : [];
  const definitions = models.map((schema) =>
    command(texts.define(schema), { to: '/dash/model/$schema', params: { schema } }),
  );
  const diagram = hasResource('schema.list')
    ? [command(texts.diagram, { to: '/dash/model', search: { view: 'diagram' } })]
    : [];
  const more = hasResource('schema.create')
    ? [command(texts.newSchema, { to: '/dash/model/$schema', params: { schema: '+' } })]
    : [];
  const reference = command(texts.reference, { document: REFERENCE });
  return [...sections, reference, ...parts, ...lists, ...forms, ...definitions, ...diagram, ...more];
}

/**
 * Returns the commands whose names contain every word of a text, best matches first: the name starts with the text, then words of the name
 * start with it, then all others.
 */
export function findCommands(commands: readonly Command[], text: string): readonly Command[] {
  const terms = plain(text).split(/\s+/).filter(Boolean);
  if (terms.length === 0) return commands;
  return commands
    .map((one) => ({ one, rank: rankOf(plain(one.label), terms) }))
    .filter(({ rank }) => rank !== null)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ one }) => one);
}

function rankOf(label: string, terms: readonly string[]): number | null {
  if (!terms.every((term) => label.includes(term))) return null;
  if (label.startsWith(terms.join(' '))) return 0;
  const starts = label.split(/[^\p{L}\p{N}]+/u);
  return terms.every((term) => starts.some((start) => start.startsWith(term))) ? 1 : 2;
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}

function command(label: string, target: Target): Command {
  return { id: JSON.stringify(target), label, target };
}
