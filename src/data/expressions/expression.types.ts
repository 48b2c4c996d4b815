/** A part of an expression, as offsets into its text (UTF-16 units, `end` exclusive). */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Variables of an expression with their CEL types. `record` and `auth` are typed by member. */
export interface ExpressionTypes {
  /** Type of `value`. Undefined in rules, where `auth.username` is not available either. */
  readonly value?: string;
  /** Null for records of any schema. Fields are then checked when the schema is known. */
  readonly record: Readonly<Record<string, string>> | null;
}

/** A node of a checked expression, for translation. `range` refers to the source text. */
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

/** A literal. Integers are `bigint`, other numbers `number`. */
export type ExpressionLiteral = string | number | bigint | boolean | null | Uint8Array;

/** Inputs of an evaluation: database values as JavaScript types. */
export interface ExpressionInputs {
  readonly value?: unknown;
  readonly record?: Readonly<Record<string, unknown>>;
  readonly auth?: ExpressionAuth;
  readonly now: Date;
}

/** The principal. `id` is empty for a guest. */
export interface ExpressionAuth {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly roles: readonly string[];
  /** 2 if two factors were proven for the session, otherwise 1. */
  readonly level?: number | undefined;
  /** Methods that were proven for the session. */
  readonly amr?: readonly string[] | undefined;
}

/** A compiled expression. Evaluation is synchronous, bounded and without side effects. */
export interface CompiledExpression {
  readonly source: string;
  readonly resultType: string;
  readonly usesValue: boolean;
  /** Members of `record`, sorted. `["*"]` if the record is used as a whole. */
  readonly reads: readonly string[];
  readonly tree: ExpressionNode;
  /** Returns a value in JavaScript types, or throws `ExpressionError`. */
  evaluate(inputs: ExpressionInputs): unknown;
}

export type CompileOutcome =
  | { readonly ok: true; readonly expression: CompiledExpression }
  | {
      readonly ok: false;
      readonly fault: { readonly message: string; readonly range: TextRange; readonly cause?: unknown };
    };
