import { headerState, NOTHING_SELECTED, withToggled } from './selection.js';

describe('the checkbox in the header', () => {
  const some = withToggled(NOTHING_SELECTED, 'a');
  const both = withToggled(some, 'b');

  it.each([
    ['nothing', NOTHING_SELECTED, ['a', 'b'], 'none'],
    ['nothing in an empty list', NOTHING_SELECTED, [], 'none'],
    ['one of two', some, ['a', 'b'], 'some'],
    ['all loaded records', both, ['a', 'b'], 'all'],
    ['all matching records', { kind: 'all' } as const, ['a', 'b'], 'all'],
    ['two of three after the next page was loaded', both, ['a', 'b', 'c'], 'some'],
    ['one record that is left after a deletion', withToggled(both, 'b'), ['a'], 'all'],
    ['records that were deleted', withToggled(both, 'a'), ['c'], 'some'],
  ])('shows %s', (_what, selection, loaded, expected) => {
    expect(headerState(selection, loaded)).toBe(expected);
  });
});
