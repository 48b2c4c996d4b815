import type { RecordSchema } from '../data/record-schema.js';
import type { Filter } from '../filter/filter-tree.js';
import { QUANTIFIER_KEYWORDS, OPERATOR_KEYWORDS } from '../filter/filter-keywords.js';
import { parseFilterText, type ReadText } from '../filter/parse-filter-text.js';

const OPERATORS = new Set(
  [...OPERATOR_KEYWORDS, ...QUANTIFIER_KEYWORDS].flatMap(([phrase]) => phrase.split(' ')).concat('is'),
);

/** Parses the search input: a filter expression, or plain words to search for. */
export function readSearch(text: string, schema: RecordSchema): ReadText {
  const read = parseFilterText(text);
  if (read.ok || isExpression(text, schema)) return read;
  const filter = searchOf(text.trim(), schema);
  return filter === null ? read : { ok: true, filter };
}

/** Returns whether a text that cannot be parsed is meant as a filter: it has a comparison, or a field before an operator. */
function isExpression(text: string, { fields }: RecordSchema): boolean {
  if (/[=<>()[\]`]/.test(text.replaceAll(/"[^"]*"/g, ''))) return true;
  const [first = '', second = ''] = text.trim().split(/\s+/);
  return fields.some(({ name }) => name === first.split('.')[0]) && OPERATORS.has(second);
}

/** Returns the filter for plain words: full-text search if the schema supports it, otherwise a search within the label. */
function searchOf(text: string, { searchable, fields, labelField }: RecordSchema): Filter | null {
  if (searchable) return { $search: text };
  const label = fields.find(({ name }) => name === labelField);
  const isText = label?.type === 'string' || label?.type === 'text';
  return label?.filterable === true && isText ? { [labelField]: { $icontains: text.replaceAll('"', '') } } : null;
}
