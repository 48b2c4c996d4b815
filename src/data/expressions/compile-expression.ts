import {
  Environment,
  EvaluationError,
  ParseError,
  TypeError as CelTypeError,
  type ParseResult,
} from '@marcbachmann/cel-js';
import { SCHEMA_LIMITS } from '../model/schema-limits.js';
import { type InstalledFunction, installedFunctions } from './own-functions.js';
import { expressionReads, ExpressionRefused, expressionTree } from './expression-tree.js';
import { fromCelValue, toCelValue } from './expression-values.js';
import type { CompiledExpression, CompileOutcome, ExpressionInputs, ExpressionTypes } from './expression.types.js';
import { hash } from 'node:crypto';
import { newId } from '../../kernel/keys/random.js';
import { defineLimit } from '../../kernel/limits.js';

/** Built-in functions by their signatures. All are synchronous and need at most linear time. */
const BUILT_IN: Readonly<Record<string, (text: string) => string>> = {
  'lower(string): string': (text) => text.toLowerCase(),
  'upper(string): string': (text) => text.toUpperCase(),
  'trim(string): string': (text) => text.trim(),
  'slug(string): string': slug,
  'hash(string): string': (text) => hash('sha256', text),
  'uuid(): string': () => newId(),
};

const ofExpressions = (value: number, subject: string): number =>
  defineLimit(value, 'Expressions', subject, 'schema_invalid');

const LIMITS = {
  maxAstNodes: ofExpressions(500, 'nodes of the syntax tree of a setter or getter'),
  maxDepth: ofExpressions(40, 'levels of nesting in a setter or getter'),
  maxListElements: ofExpressions(200, 'entries of a list in a setter or getter'),
  maxMapEntries: ofExpressions(200, 'entries of a map in a setter or getter'),
  maxCallArguments: ofExpressions(16, 'arguments of one call in a setter or getter'),
};

/** The base environment. It is rebuilt when the installed functions change. */
let language: { readonly own: readonly InstalledFunction[]; readonly base: Environment } | null = null;

function baseEnvironment(): Environment {
  const own = installedFunctions();
  if (language?.own !== own) {
    const base = new Environment({ limits: LIMITS });
    const builtIn = Object.entries(BUILT_IN).map(([signature, handler]) => ({ signature, handler }));
    for (const { signature, handler } of [...builtIn, ...own])
      base.registerFunction({ signature, handler, async: false });
    language = { own, base: base.registerVariable('now', 'google.protobuf.Timestamp') };
  }
  return language.base;
}

const AUTH = { id: 'string', email: 'string', roles: 'list<string>', level: 'int', amr: 'list<string>' };

export class ExpressionCompiler {
  private readonly environment: Environment;

  constructor(private readonly types: ExpressionTypes) {
    const auth = types.value === undefined ? AUTH : { ...AUTH, username: 'string' };
    this.environment = baseEnvironment().clone().registerVariable({ name: 'auth', schema: auth });
    if (types.record === null) this.environment.registerVariable('record', 'dyn');
    else this.environment.registerVariable({ name: 'record', schema: { ...types.record } });
    if (types.value !== undefined) this.environment.registerVariable('value', types.value);
  }

  /** Parses and checks an expression. Never throws: errors are returned with their position. */
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
  const recordTypes = types.record ?? {};
  const members = facts.reads.includes('*') ? Object.keys(recordTypes) : facts.reads;
  const evaluate = (inputs: ExpressionInputs): unknown => {
    const record = members.map((name) => [name, toCelValue(inputs.record?.[name], recordTypes[name] ?? 'dyn')]);
    const { auth: who = { id: '', email: '', username: '', roles: [] }, now } = inputs;
    const auth = { ...who, level: BigInt(who.level ?? 1), amr: who.amr ?? [] };
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

/** As a part of an address: "Été à Rome" is "ete-a-rome". */
function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  const words = plain.split(/[^\p{Letter}\p{Number}]+/u).filter((word) => word !== '');
  return words.join('-');
}
