export type FilePart = Readonly<Record<string, unknown>>;

export type Sizes = Readonly<Record<string, FilePart>>;

/** Returns the value if it is an object, otherwise an empty object. */
export function partOf(value: unknown): FilePart {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FilePart) : {};
}

/** Returns the image sizes. Invalid entries become empty objects. */
export function sizesOf(value: unknown): Sizes {
  return Object.fromEntries(Object.entries(partOf(value)).map(([name, size]) => [name, partOf(size)]));
}

/** Sets a member, or removes it if the value is undefined. Returns undefined if no member remains. */
export function withMember(part: FilePart, name: string, value: unknown): FilePart | undefined {
  const next = Object.entries({ ...part, [name]: value }).filter(([, one]) => one !== undefined);
  return next.length === 0 ? undefined : Object.fromEntries(next);
}

/** Parses media types, separated by commas or spaces; undefined if empty. */
export function readTypes(text: string): readonly string[] | undefined {
  const types = text.split(/[\s,]+/).filter((type) => type !== '');
  return types.length === 0 ? undefined : types;
}

/** Parses an integer; undefined if empty. Invalid text stays unchanged, so that the service reports the error. */
export function readNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /^-?\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

export function addSize(sizes: Sizes): Sizes {
  let name = 'size';
  for (let count = 2; Object.hasOwn(sizes, name); count += 1) name = `size_${count}`;
  return { ...sizes, [name]: { width: 800 } };
}

/** Renames a size and keeps its position. Returns null if the name is taken. */
export function renameSize(sizes: Sizes, from: string, to: string): Sizes | null {
  if (from !== to && Object.hasOwn(sizes, to)) return null;
  return Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name === from ? to : name, size]));
}

/** Removes a size. Returns undefined if it was the last one. */
export function removeSize(sizes: Sizes, name: string): Sizes | undefined {
  return withMember(sizes, name, undefined) as Sizes | undefined;
}

/** Escapes a name for a JSON pointer (RFC 6901, section 3). */
export const pointerPart = (name: string): string => name.replace(/~/g, '~0').replace(/\//g, '~1');
