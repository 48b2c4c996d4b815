const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;

/** Returns the insides of all elements of a name in an XML answer of a store. */
export function elementsOf(xml: string, name: string): readonly string[] {
  const found = xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g'));
  return [...found].map(([, inside = '']) => inside);
}

/** Returns the text of the first element of a name; undefined if there is none. */
export function textOf(xml: string, name: string): string | undefined {
  return elementsOf(xml, name)[0]?.replace(ENTITY, (whole, named?: string, decimal?: string, hex?: string) => {
    if (named !== undefined) return ENTITIES[named.toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
