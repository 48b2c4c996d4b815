/** Appends segments to a JSON Pointer (RFC 6901): `~` becomes `~0`, `/` becomes `~1`. */
export function jsonPointer(base: string, ...segments: readonly (string | number)[]): string {
  let pointer = base;
  for (const segment of segments) pointer += `/${typeof segment === 'number' ? segment : escaped(segment)}`;
  return pointer;
}

function escaped(segment: string): string {
  return /[~/]/.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment;
}

/** The members of a JSON object in the order in which they are judged; whatever else stands after them. */
const MEMBER_ORDER = `
  name label_field namespace primary_field disable_timestamp audit fields
  schema type field label value size unique optional default immutable enums relation owner on_delete on_update
  source_column target_column junction_table setter getter sortable filterable searchable multiple renderer
  db column index increment indexes columns renames`
  .trim()
  .split(/\s+/);
const MEMBER_RANKS = new Map(MEMBER_ORDER.map((member, rank) => [member, rank]));

/** Compares two pointers in document order: list entries by number, members in the order of the specification. */
export function comparePointers(left: string, right: string): number {
  const [a, b] = [left.split('/'), right.split('/')];
  for (let depth = 0; depth < Math.min(a.length, b.length); depth += 1) {
    const difference = compareSegments(a[depth] ?? '', b[depth] ?? '');
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareSegments(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [segmentRank(left), segmentRank(right)];
  if (a !== b) return a - b;
  return left < right ? -1 : 1;
}

function segmentRank(segment: string): number {
  if (/^\d+$/.test(segment)) return Number(segment);
  return MEMBER_RANKS.get(segment) ?? MEMBER_ORDER.length;
}
