/** The stage of the schema pipeline that raises a code. */
export type FaultStage = 'definition' | 'validate' | 'link' | 'plan' | 'snapshot' | 'change' | 'apply';

/** One row of the table of schema fault codes. */
export interface FaultRow {
  /** Public text; `{name}` is replaced by the parameter of that name. May change between releases. */
  readonly message: string;
  /** When the code is raised: the meaning of the specification's table, or ours. */
  readonly when: string;
  readonly stage: FaultStage;
  /** `specification` codes never change; `lintel` codes are additions of the same form. */
  readonly origin: 'specification' | 'lintel';
}
