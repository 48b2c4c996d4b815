export { ExpressionCompiler } from './compile-expression.js';
export { type DefinedFunction, defineFunction, type FunctionOf, installFunctions } from './own-functions.js';
export { childrenOf, ExpressionRefused, expressionReads } from './expression-tree.js';
export { bareType, type ExpressionField, expressionTypes, linkedExpressionTypes } from './expression-values.js';
