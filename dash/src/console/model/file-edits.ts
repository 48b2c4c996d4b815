/** Settings of a field for its files, as they are written; whatever they are, until the service has judged them. */
export type FilePart = Readonly<Record<string, unknown>>;

/** The sizes of pictures by name, in the order in which they are written. */
export type Sizes = Readonly<Record<string, FilePart>>;

/** Returns an object whose members can be edited: of anything else none. */
export function partOf(value: unknown): FilePart {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FilePart) : {};
}

/** Returns the sizes that are written; one that is no object has nothing yet. */
export function sizesOf(value: unknown): Sizes {
  return Object.fromEntries(Object.entries(partOf(value)).map(([name, size]) => [name, partOf(size)]));
}

/** Sets a member, or takes it away where it says nothing; undefined if nothing is left. */
export function withMember(part: FilePart, name: string, value: unknown): FilePart | undefined {
  const next = Object.entries({ ...part, [name]: value }).filter(([, one]) => one !== undefined);
  return next.length === 0 ? undefined : Object.fromEntries(next);
}

/** Reads media types that stand between commas or spaces; undefined for none. */
export function readTypes(text: string): readonly string[] | undefined {
  const types = text.split(/[\s,]+/).filter((type) => type !== '');
  return types.length === 0 ? undefined : types;
}

/** Reads a whole number; what is none stays what it is, so that the service says what is wrong with it. Undefined for nothing. */
export function readNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /^-?\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** Adds a size with a name that is free. */
export function addSize(sizes: Sizes): Sizes {
  let name = 'size';
  for (let count = 2; Object.hasOwn(sizes, name); count += 1) name = `size_${count}`;
  return { ...sizes, [name]: { width: 800 } };
}

/** Gives a size another name, in its place; null if another has that name already. */
export function renameSize(sizes: Sizes, from: string, to: string): Sizes | null {
  if (from !== to && Object.hasOwn(sizes, to)) return null;
  return Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name === from ? to : name, size]));
}

/** Takes a size away; undefined if it was the last. */
export function removeSize(sizes: Sizes, name: string): Sizes | undefined {
  return withMember(sizes, name, undefined) as Sizes | undefined;
}

/** Writes a name as a part of a JSON pointer (RFC 6901, section 3). */
export const pointerPart = (name: string): string => name.replace(/~/g, '~0').replace(/\//g, '~1');
