export { ExpressionCompiler } from './compile-expression.js';
export { type DefinedFunction, defineFunction, type FunctionOf, installFunctions } from './own-functions.js';
export { childrenOf, expressionReads } from './expression-tree.js';
export { type ExpressionField, expressionTypes, linkedExpressionTypes } from './expression-values.js';
export { bareType } from './expression-values.js';
