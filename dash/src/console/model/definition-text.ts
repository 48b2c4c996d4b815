import { applyEdits, findNodeAtLocation, modify, type Node, parse, type ParseError, parseTree } from 'jsonc-parser';
import type { SchemaDefinition } from '../../api/openapi.js';

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

const PURE = { disallowComments: true, allowTrailingComma: false };
const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };
const ONE_LINE = 110;

/** Formats a definition. Each field is on one line if it fits. */
export function printDefinition(definition: SchemaDefinition): string {
  const { fields = [], ...rest } = definition;
  const lines = Object.entries(rest).map(([name, value]) => `  ${JSON.stringify(name)}: ${printValue(value, 2)}`);
  const printed = fields.map((field) => `    ${printValue(field, 4)}`).join(',\n');
  return `{\n${[...lines, `  "fields": [${printed && `\n${printed}\n  `}]`].join(',\n')}\n}\n`;
}

export function readDefinition(text: string): SchemaDefinition | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SchemaDefinition) : null;
  } catch {
    return null;
  }
}

/** Returns the position of the first syntax error, or null. */
export function syntaxFault(text: string): TextRange | null {
  if (readDefinition(text) !== null) return null;
  const errors: ParseError[] = [];
  parse(text, errors, PURE);
  const [first] = errors;
  return first === undefined
    ? { from: 0, to: text.length }
    : { from: first.offset, to: Math.min(text.length, first.offset + Math.max(1, first.length)) };
}

/** Returns the position of a JSON pointer (RFC 6901). For a missing member, returns the start of the nearest existing parent. */
export function rangeOf(text: string, pointer: string): TextRange | null {
  const root = parseTree(text, [], PURE);
  if (root === undefined) return null;
  const path = pathOf(pointer);
  const node = findNodeAtLocation(root, path);
  if (node !== undefined) return { from: node.offset, to: node.offset + node.length };
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const parent = findNodeAtLocation(root, path.slice(0, length));
    if (parent !== undefined) return beginningOf(parent);
  }
  return beginningOf(root);
}

/** Returns the line number of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Replaces the value at a path and keeps all other formatting. `undefined` removes the member. */
export function withValue(text: string, path: readonly (string | number)[], value: unknown): string {
  return applyEdits(text, modify(text, [...path], value, FORMAT));
}

/** Renames the member at a path. Returns the text unchanged if there is no such member, or if the name is taken. */
export function withName(text: string, path: readonly (string | number)[], name: string): string {
  const root = parseTree(text, [], PURE);
  const member = root && findNodeAtLocation(root, [...path])?.parent;
  const key = member?.type === 'property' ? member.children?.[0] : undefined;
  if (root === undefined || key === undefined || findNodeAtLocation(root, [...path.slice(0, -1), name]) !== undefined)
    return text;
  return text.slice(0, key.offset) + JSON.stringify(name) + text.slice(key.offset + key.length);
}

/** Returns the segments of a JSON pointer. Numeric segments are list indexes. */
export function pathOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function beginningOf({ offset }: Node): TextRange {
  return { from: offset, to: offset + 1 };
}

function printValue(value: unknown, indent: number): string {
  const line = oneLine(value);
  if (line.length + indent <= ONE_LINE) return line;
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${oneLine(inner)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}
