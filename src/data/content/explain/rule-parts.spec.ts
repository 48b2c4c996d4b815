import { conditionOf } from '../resolve/rules/compile-rule.js';
import type { ExplainedPart } from './explanation.dto.js';
import { shownRule } from './explained-rule.js';
import { allParts, rulePart } from './rule-parts.js';

describe('the parts of a rule', () => {
  const shown = (source: string): unknown => {
    const show = ({ kind, text, start, end, parts }: ExplainedPart): unknown => {
      expect(source.slice(start, end)).toBe(text);
      return kind === 'condition' ? text : { [kind]: parts.map(show) };
    };
    const whole = rulePart(conditionOf(source, { record: null }).tree);
    return show(shownRule({ source, whole, conditions: new Map() }, () => null));
  };

  it('stand side by side in a chain, and one within the other where they differ', () => {
    expect(shown('record.a == 1')).toBe('record.a == 1');
    expect(shown('record.a == 1 && record.b && auth.id != ""')).toEqual({
      all: ['record.a == 1', 'record.b', 'auth.id != ""'],
    });
    expect(shown('record.a == 1 && (record.b || record.c == "x && y")')).toEqual({
      all: ['record.a == 1', { any: ['record.b', 'record.c == "x && y"'] }],
    });
    expect(shown('!(record.a && record.b ) || record.c')).toEqual({ any: ['!(record.a && record.b )', 'record.c'] });
    expect(shown('(record.a == "(" || record.b)')).toEqual({ any: ['record.a == "("', 'record.b'] });
  });

  it('come one after the other, each before its own', () => {
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
