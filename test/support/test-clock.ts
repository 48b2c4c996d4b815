import { TestClock as ClockTurnedByHand } from '../../src/testing/test-clock.js';

/** A manual clock that advances with the machine's clock. */
export class TestClock extends ClockTurnedByHand {
  /** Applies this clock to `Date.now()`, until another clock does so or the test file ends. */
  rule(): void {
    jest.spyOn(Date, 'now').mockImplementation(() => this.nowMs());
  }
}
