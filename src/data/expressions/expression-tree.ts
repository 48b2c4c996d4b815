import type { ASTNode } from '@marcbachmann/cel-js';
import type { CompiledExpression, ExpressionLiteral, ExpressionNode, TextRange } from './expression.types.js';

/** Thrown for valid CEL that is not allowed here. */
export class ExpressionRefused extends Error {
  constructor(
    message: string,
    readonly range: TextRange,
  ) {
    super(message);
    this.name = 'ExpressionRefused';
  }
}

/** Converts the tree of the library, and rejects expressions with unbounded time or memory. */
export function expressionTree(ast: ASTNode): ExpressionNode {
  const tree = convert(ast);
  refuseUnbounded(tree, false);
  return tree;
}

function convert(node: ASTNode): ExpressionNode {
  const range = { start: node.start, end: node.end };
  switch (node.op) {
    case 'value':
      return { kind: 'literal', value: literal(node.args), range };
    case 'id':
      return { kind: 'name', name: node.args, range };
    case '.':
    case '.?':
      return { kind: 'member', object: convert(node.args[0]), name: node.args[1], range };
    case 'call':
      return { kind: 'call', callee: node.args[0], args: node.args[1].map(convert), range };
    case 'rcall': {
      const [callee, receiver, args] = node.args;
      return { kind: 'call', callee, receiver: convert(receiver), args: args.map(convert), range };
    }
    case 'list':
      return { kind: 'list', entries: node.args.map(convert), range };
    case 'map':
      return { kind: 'map', entries: node.args.map(([key, value]) => [convert(key), convert(value)] as const), range };
    case '!_':
    case '-_':
      return { kind: 'call', callee: node.op, args: [convert(node.args)], range };
    default:
      return { kind: 'call', callee: node.op, args: node.args.map((child: ASTNode) => convert(child)), range };
  }
}

/** Returns a literal. The library wraps unsigned integers. */
function literal(value: Extract<ASTNode, { op: 'value' }>['args']): ExpressionLiteral {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return value.valueOf();
}

const COMPREHENSIONS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/**
 * Rejects unbounded time or memory: `matches` can be exponential, `cel.bind` can double a text per level, nested loops
 * multiply.
 */
function refuseUnbounded(node: ExpressionNode, insideComprehension: boolean): void {
  if (node.kind !== 'call') {
    for (const child of childrenOf(node)) refuseUnbounded(child, insideComprehension);
    return;
  }
  if (node.callee === 'matches') throw new ExpressionRefused('regular expressions are not available', node.range);
  if (node.callee === 'bind') throw new ExpressionRefused('cel.bind is not available', node.range);
  const isComprehension = node.receiver !== undefined && COMPREHENSIONS.has(node.callee);
  if (isComprehension && insideComprehension) {
    throw new ExpressionRefused(`${node.callee} is not allowed inside another loop`, node.range);
  }
  if (isComprehension && !isBoundedList(node.receiver)) {
    throw new ExpressionRefused(`${node.callee} requires a field or a list of values`, node.range);
  }
  if (node.receiver) refuseUnbounded(node.receiver, insideComprehension);
  for (const child of node.args) refuseUnbounded(child, insideComprehension || isComprehension);
}

function isBoundedList(node: ExpressionNode | undefined): boolean {
  if (node?.kind !== 'call') return node !== undefined;
  return node.callee === '[]' || (COMPREHENSIONS.has(node.callee) && node.receiver !== undefined);
}

/** Returns the variables that an expression reads. A loop variable of the same name counts too, so the result is never too small. */
export function expressionReads(tree: ExpressionNode): Pick<CompiledExpression, 'usesValue' | 'reads'> {
  const found = { value: false, members: new Set<string>() };
  visit(tree, found);
  const reads = found.members.has('*') ? ['*'] : [...found.members].sort();
  return { usesValue: found.value, reads };
}

function visit(node: ExpressionNode, found: { value: boolean; members: Set<string> }): void {
  const member = recordMember(node);
  if (member !== undefined) {
    found.members.add(member);
    return;
  }
  if (node.kind === 'name') {
    if (node.name === 'value') found.value = true;
    if (node.name === 'record') found.members.add('*');
  }
  for (const child of childrenOf(node)) visit(child, found);
}

function recordMember(node: ExpressionNode): string | undefined {
  if (node.kind === 'member') return isRecord(node.object) ? node.name : undefined;
  if (node.kind !== 'call' || node.callee !== '[]' || !isRecord(node.args[0])) return undefined;
  const key = node.args[1];
  return key?.kind === 'literal' && typeof key.value === 'string' ? key.value : undefined;
}

function isRecord(node: ExpressionNode | undefined): boolean {
  return node?.kind === 'name' && node.name === 'record';
}

export function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  if (node.kind === 'member') return [node.object];
  if (node.kind === 'call') return node.receiver ? [node.receiver, ...node.args] : node.args;
  if (node.kind === 'list') return node.entries;
  return node.kind === 'map' ? node.entries.flat() : [];
}
