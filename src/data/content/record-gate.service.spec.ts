import { FreshAnswers } from './record-gate.service.js';

/** Returns a query whose responses the test controls. Each response is the number of its call. */
function question() {
  const asked: { readonly answer: () => void; readonly fail: () => void }[] = [];
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const count = asked.length + 1;
      asked.push({ answer: () => resolve(count), fail: () => reject(new Error(`No answer ${count}.`)) });
    });
  return { asked, ask };
}

const turn = () => new Promise(setImmediate);

describe('a shared result', () => {
  it('is not older than the request of any caller', async () => {
    const answers = new FreshAnswers<number>();
    const { asked, ask } = question();
    const first = answers.get('a', ask);
    const sixteen = Array.from({ length: 16 }, () => answers.get('a', ask));
    await turn();
    expect(asked).toHaveLength(1);
    asked[0]!.answer();
    expect(await first).toBe(1);
    const late = answers.get('a', ask);
    await turn();
    expect(asked).toHaveLength(2);
    asked[1]!.answer();
    expect(new Set(await Promise.all(sixteen))).toEqual(new Set([2]));
    await turn();
    asked[2]?.answer();
    // The late caller arrived when the second query was already sent, or just before. It must not get the first response.
    expect(await late).toBeGreaterThan(1);
  });

  it('is read again by later callers, and for another request', async () => {
    const answers = new FreshAnswers<number>();
    const { asked, ask } = question();
    const [one, other] = [answers.get('a', ask), answers.get('b', ask)];
    expect(asked).toHaveLength(2);
    for (const { answer } of asked) answer();
    expect([await one, await other]).toEqual([1, 2]);
    const again = answers.get('a', ask);
    asked[2]!.answer();
    expect(await again).toBe(3);
  });

  it('fails only for the callers of the failed read', async () => {
    const answers = new FreshAnswers<number>();
    const { asked, ask } = question();
    const first = answers.get('a', ask);
    const next = [answers.get('a', ask), answers.get('a', ask)];
    asked[0]!.fail();
    await expect(first).rejects.toThrow('No answer 1.');
    await turn();
    asked[1]!.answer();
    expect(await Promise.all(next)).toEqual([2, 2]);
    const last = answers.get('a', ask);
    asked[2]!.fail();
    await expect(last).rejects.toThrow('No answer 3.');
  });
});
