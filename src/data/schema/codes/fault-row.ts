type FaultStage = 'definition' | 'validate' | 'link' | 'plan' | 'snapshot' | 'change' | 'apply';

/** `specification` codes never change; `lintel` codes are additions of the same form. */
type FaultOrigin = 'specification' | 'lintel';

interface FaultText {
  /** Public text; `{name}` is replaced by the parameter of that name. May change between releases. */
  readonly message: string;
  /** When the code is raised: the meaning of the specification's table, or ours. */
  readonly when: string;
}

export interface FaultRow extends FaultText {
  readonly stage: FaultStage;
  readonly origin: FaultOrigin;
}

export function faultRows<Code extends string>(
  origin: FaultOrigin,
  stage: FaultStage,
  texts: Readonly<Record<Code, FaultText>>,
): Readonly<Record<Code, FaultRow>> {
  const rows = Object.entries<FaultText>(texts).map(([code, text]) => [code, { ...text, stage, origin }]);
  return Object.fromEntries(rows) as Record<Code, FaultRow>;
}
