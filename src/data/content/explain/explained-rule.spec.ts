import { conditionOf } from '../resolve/rules/compile-rule.js';
import type { ExplainedPart } from './explanation.dto.js';
import { allParts, rulePart, explainRule } from './access-explanation.service.js';

describe('the parts of a rule', () => {
  const explained = (source: string): unknown => {
    const show = ({ kind, text, start, end, parts }: ExplainedPart): unknown => {
      expect(source.slice(start, end)).toBe(text);
      return kind === 'condition' ? text : { [kind]: parts.map(show) };
    };
    const root = rulePart(conditionOf(source, { record: null }).tree);
    return show(explainRule({ source, root, conditions: new Map() }, () => null));
  };

  it('are siblings in a chain, and nested for different operators', () => {
    expect(explained('record.a == 1')).toBe('record.a == 1');
    expect(explained('record.a == 1 && record.b && auth.id != ""')).toEqual({
      all: ['record.a == 1', 'record.b', 'auth.id != ""'],
    });
    expect(explained('record.a == 1 && (record.b || record.c == "x && y")')).toEqual({
      all: ['record.a == 1', { any: ['record.b', 'record.c == "x && y"'] }],
    });
    expect(explained('!(record.a && record.b ) || record.c')).toEqual({
      any: ['!(record.a && record.b )', 'record.c'],
    });
    expect(explained('(record.a == "(" || record.b)')).toEqual({ any: ['record.a == "("', 'record.b'] });
  });

  it('are in order, each parent before its parts', () => {
    const tree = conditionOf('record.a && (record.b || record.c)', { record: null }).tree;
    expect(allParts(rulePart(tree)).map(({ kind }) => kind)).toEqual([
      'all',
      'condition',
      'any',
      'condition',
      'condition',
    ]);
  });
});
