import { TestClock as ClockTurnedByHand } from '../../src/testing/test-clock.js';

/** A clock turned by hand. It runs with the machine's. */
export class TestClock extends ClockTurnedByHand {
  /** Makes libraries see its time, too, until another clock does, or the test file ends. */
  rule(): void {
    jest.spyOn(Date, 'now').mockImplementation(() => this.nowMs());
  }
}
