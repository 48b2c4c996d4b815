/** Codes of the origin `specification` never change. `lintel` codes are additions of the same form. */
type FaultOrigin = 'specification' | 'lintel';

interface FaultText {
  /** Public message. `{name}` is replaced by the parameter. May change between releases. */
  readonly message: string;
  /** Meaning of the code, for the documentation. */
  readonly when: string;
}

export interface FaultRow extends FaultText {
  readonly origin: FaultOrigin;
}

export function faultRows<Code extends string>(
  origin: FaultOrigin,
  texts: Readonly<Record<Code, FaultText>>,
): Readonly<Record<Code, FaultRow>> {
  const rows = Object.entries<FaultText>(texts).map(([code, text]) => [code, { ...text, origin }]);
  return Object.fromEntries(rows) as Record<Code, FaultRow>;
}
