/** A part of an expression, as offsets into its text (UTF-16 units, `end` exclusive). */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Names of the variables of an expression with their types in CEL; `record` and `auth` are typed member by member. */
export interface ExpressionTypes {
  /** Type of `value`; absent if there is none: in rules, which do not know `auth.username` either. */
  readonly value?: string;
  /** Null for the records of any schema: whatever is asked of them is checked when the schema is known. */
  readonly record: Readonly<Record<string, string>> | null;
}

/** A node of a checked expression, as plain data, for those who translate it. `range` is in the source text. */
export type ExpressionNode =
  | { readonly kind: 'literal'; readonly value: ExpressionLiteral; readonly range: TextRange }
  | { readonly kind: 'name'; readonly name: string; readonly range: TextRange }
  | { readonly kind: 'member'; readonly object: ExpressionNode; readonly name: string; readonly range: TextRange }
  | {
      readonly kind: 'call';
      /** `+`, `&&`, `?:`, `[]`, `-_`, `!_` for operators; otherwise the name of a function or method. */
      readonly callee: string;
      readonly receiver?: ExpressionNode;
      readonly args: readonly ExpressionNode[];
      readonly range: TextRange;
    }
  | { readonly kind: 'list'; readonly entries: readonly ExpressionNode[]; readonly range: TextRange }
  | {
      readonly kind: 'map';
      readonly entries: readonly (readonly [ExpressionNode, ExpressionNode])[];
      readonly range: TextRange;
    };

/** A literal; whole numbers are `bigint`, other numbers are `number`. */
export type ExpressionLiteral = string | number | bigint | boolean | null | Uint8Array;

export interface ExpressionFault {
  readonly message: string;
  readonly range: TextRange;
  readonly cause?: unknown;
}

/** Holds the inputs of an evaluation: values as the database answers them, in JavaScript types. */
export interface ExpressionInputs {
  readonly value?: unknown;
  readonly record?: Readonly<Record<string, unknown>>;
  readonly auth?: ExpressionAuth;
  readonly now: Date;
}

/** Describes the principal; `id` is empty for a guest. */
export interface ExpressionAuth {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly roles: readonly string[];
  /** 2 if two factors were proven for the session; 1 unless said. */
  readonly level?: number | undefined;
  /** Methods that were proven for the session. */
  readonly amr?: readonly string[] | undefined;
}

/** An expression that compiled: evaluating it is synchronous, bounded and without side effects. */
export interface CompiledExpression {
  readonly source: string;
  readonly resultType: string;
  readonly usesValue: boolean;
  readonly reads: readonly string[];
  readonly tree: ExpressionNode;
  /** Returns a value in JavaScript types, or throws `ExpressionError`. */
  evaluate(inputs: ExpressionInputs): unknown;
}

export type CompileOutcome =
  | { readonly ok: true; readonly expression: CompiledExpression }
  | { readonly ok: false; readonly fault: ExpressionFault };
