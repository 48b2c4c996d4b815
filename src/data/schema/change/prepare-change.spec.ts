import { field, schema, SYSTEM } from '../../../../test/support/schema-definitions.js';
import { initialSnapshot, prepareChange, prepareChangeInSteps } from './prepare-change.js';

test('preparing a large change pauses for other work', async () => {
  const current = initialSnapshot(SYSTEM);
  const fields = Array.from({ length: 20 }, (_, at) => field('int', `f${at}`, { optional: true }));
  const schemas = Array.from({ length: 450 }, (_, at) => schema(`s${at}`, fields));
  const change = { put: [{ json: { schemas } }] };
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const prepared = await prepareChangeInSteps(current, change);
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(4);
  expect(prepared).toEqual(prepareChange(current, change));
});
