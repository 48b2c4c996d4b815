import {
  Environment,
  EvaluationError,
  ParseError,
  TypeError as CelTypeError,
  type ParseResult,
} from '@marcbachmann/cel-js';

import { SCHEMA_LIMITS } from '../model/schema-limits.js';
import { registerFunctions } from './expression-functions.js';
import { expressionReads } from './expression-reads.js';
import { ExpressionRefused, expressionTree } from './expression-tree.js';
import { fromCelValue, toCelValue } from './expression-values.js';
import type { CompiledExpression, CompileOutcome, ExpressionInputs, ExpressionTypes } from './expression.types.js';

/** Bounds of one expression. */
const LIMITS = { maxAstNodes: 500, maxDepth: 40, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 };

const BASE = registerFunctions(new Environment({ limits: LIMITS })).registerVariable(
  'now',
  'google.protobuf.Timestamp',
);
/** Who asks, as rules know it. */
const AUTH = { id: 'string', email: 'string', roles: 'list<string>' };

/** Expressions over one set of typed variables; the set-up is shared by all that are compiled with it. */
export class ExpressionCompiler {
  private readonly environment: Environment;

  constructor(private readonly types: ExpressionTypes) {
    const auth = types.value === undefined ? AUTH : { ...AUTH, username: 'string' };
    this.environment = BASE.clone().registerVariable({ name: 'auth', schema: auth });
    if (types.record === null) this.environment.registerVariable('record', 'dyn');
    else this.environment.registerVariable({ name: 'record', schema: { ...types.record } });
    if (types.value !== undefined) this.environment.registerVariable('value', types.value);
  }

  /** Parses and checks an expression. Never throws: a refusal says why and where. */
  compile(source: string): CompileOutcome {
    if (source.length > SCHEMA_LIMITS.expression) return refusal('it is too long', 0, source.length);
    try {
      const parsed = this.environment.parse(source);
      const tree = expressionTree(parsed.ast);
      const { valid, type, error } = parsed.check();
      if (!valid || type === undefined) throw error ?? new Error('it could not be checked');
      return {
        ok: true,
        expression: compiled({ source, resultType: type, tree, ...expressionReads(tree) }, parsed, this.types),
      };
    } catch (error) {
      return explain(error, source);
    }
  }
}

/** Raised where an expression fails on the values that it was given. */
export class ExpressionError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof EvaluationError ? cause.summary : 'The expression could not be evaluated.', { cause });
    this.name = 'ExpressionError';
  }
}

function compiled(
  facts: Omit<CompiledExpression, 'evaluate'>,
  run: ParseResult,
  types: ExpressionTypes,
): CompiledExpression {
  const known = types.record ?? {};
  const members = facts.reads.includes('*') ? Object.keys(known) : facts.reads;
  const evaluate = (inputs: ExpressionInputs): unknown => {
    const record = members.map((name) => [name, toCelValue(inputs.record?.[name], known[name] ?? 'dyn')]);
    const { auth = { id: '', email: '', username: '', roles: [] }, now } = inputs;
    const variables: Record<string, unknown> = { record: Object.fromEntries(record), auth, now };
    if (types.value !== undefined) variables['value'] = toCelValue(inputs.value, types.value);
    try {
      return fromCelValue(run(variables));
    } catch (error) {
      throw new ExpressionError(error);
    }
  };
  return { ...facts, evaluate };
}

function explain(error: unknown, source: string): CompileOutcome {
  if (error instanceof ExpressionRefused) return refusal(error.message, error.range.start, error.range.end);
  if (error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError) {
    const { start, end } = error.range ?? { start: 0, end: source.length };
    return refusal(error.summary, Math.min(start, source.length), Math.min(end, source.length), error);
  }
  return refusal('it is not a valid expression', 0, source.length, error);
}

function refusal(message: string, start: number, end: number, cause?: unknown): CompileOutcome {
  return { ok: false, fault: { message, range: { start, end }, cause } };
}
