import type { ExpressionNode } from './expression.types.js';

/** Names what an expression reads of its variables. */
export interface ExpressionReads {
  readonly usesValue: boolean;
  /** Members of `record`, sorted; `["*"]` where the record is used as a whole. */
  readonly reads: readonly string[];
}

/** Finds out which variables an expression reads. A loop variable of the same name counts too: never too little. */
export function expressionReads(tree: ExpressionNode): ExpressionReads {
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

/** Returns the nodes that a node is made of. */
export function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  if (node.kind === 'member') return [node.object];
  if (node.kind === 'call') return node.receiver ? [node.receiver, ...node.args] : node.args;
  if (node.kind === 'list') return node.entries;
  return node.kind === 'map' ? node.entries.flat() : [];
}
