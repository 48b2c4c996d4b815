import { Counter } from './metrics.js';

describe('Counter', () => {
  const counter = () =>
    new Counter({ name: 'things_total', help: 'Things.', labels: { kind: ['a', 'b'], outcome: ['done', 'failed'] } });

  it('reads 0 for every combination of its label values before the first event', () => {
    expect(counter().readings()).toEqual(
      ['a', 'b'].flatMap((kind) => ['done', 'failed'].map((outcome) => ({ labels: { kind, outcome }, value: 0 }))),
    );
  });

  it('reads 0 once if it has no labels', () => {
    expect(new Counter({ name: 'x_total', help: 'x', labels: {} }).readings()).toEqual([{ labels: {}, value: 0 }]);
  });

  it('adds the series of values that are allowed later', () => {
    const later = counter();
    later.allow('kind', ['c']);
    expect(later.readings()).toHaveLength(6);
  });

  it('keeps the other series at 0 when one is counted, and counts undeclared values as `other`', () => {
    const counted = counter();
    counted.inc({ kind: 'a', outcome: 'done' });
    counted.inc({ kind: 'new', outcome: 'failed' });
    const readings = counted.readings();
    expect(readings).toHaveLength(5);
    expect(readings.filter(({ value }) => value > 0)).toEqual([
      { labels: { kind: 'a', outcome: 'done' }, value: 1 },
      { labels: { kind: 'other', outcome: 'failed' }, value: 1 },
    ]);
  });
});
